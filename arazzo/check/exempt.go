package check

// exemption knows which properties need not be there, since the other side
// writes them: those that a schema describes so, or one around it that judges
// the same value.
type exemption struct {
	side   side
	at     cursor
	around *exemption
	names  map[string]bool // nil: not looked for yet
}

// The schemas that are looked at to find exempt properties, and to judge one.
const (
	maxExempting = 100
	maxExempted  = 20
)

func (e *exemption) has(name string) bool {
	if e == nil {
		return false
	}
	if e.names == nil {
		e.names = map[string]bool{}
		left := maxExempting
		e.look(e.at, &left)
	}
	return e.names[name] || e.around.has(name)
}

// look notes the exempt properties of a schema and of all that applies with it.
func (e *exemption) look(at cursor, left *int) {
	if *left--; *left < 0 {
		return
	}
	for _, m := range at.value.Get("properties").Members() {
		most := maxExempted
		if !e.names[m.Name] && e.isExempt(at.in("properties", m.Name), &most) {
			e.names[m.Name] = true
		}
	}
	for _, part := range at.applying() {
		e.look(part, left)
	}
}

// isExempt tells whether a property's schema says that the other side writes it.
func (e *exemption) isExempt(at cursor, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	if is, _ := at.value.Get(e.side.exempting()).Bool(); is {
		return true
	}
	for _, part := range at.applying() {
		if e.isExempt(part, left) {
			return true
		}
	}
	return false
}

// applying lists the schemas that hold wherever the one here does.
func (c cursor) applying() []cursor {
	var parts []cursor
	if target, ok := c.follow(); ok {
		parts = append(parts, target)
	}
	for i := range c.value.Get("allOf").Items() {
		parts = append(parts, c.in("allOf", index(i)))
	}
	return parts
}
