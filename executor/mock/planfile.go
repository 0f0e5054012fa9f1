package mock

type writtenFault struct{}

func (f Fault) placeOf(string) string { return f.Place }
