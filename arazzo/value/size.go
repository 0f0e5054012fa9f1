package value

// Size estimates how large v is when it is written, in bytes: the length of its
// texts and names, and one for each value in it. It counts no further than just
// above most. What stands in v several times is counted each time, as it would be
// written.
func (v Value) Size(most int) int {
	size := 1 + len(v.text)
	for _, item := range v.Items() {
		if size > most {
			return size
		}
		size += item.Size(most - size)
	}
	for _, m := range v.Members() {
		if size > most {
			return size
		}
		size += len(m.Name) + m.Value.Size(most-size)
	}
	return size
}
