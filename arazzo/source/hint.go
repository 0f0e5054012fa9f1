package source

import "strings"

// precise writes a reference that names one operation alone: by its id, or
// where the description gives that id twice, by its pointer.
func precise(d *Description, o *Operation, twice bool) string {
	if twice {
		return "{" + sourcePrefix + d.Name + ".url}#" + o.Pointer
	}
	return sourcePrefix + d.Name + "." + o.ID
}

// byPath gives references to the operations that are written as a bare path, or
// as a method and a path: forms that authors try in an operationPath.
func (s *Set) byPath(written string) []string {
	method, path, ok := strings.Cut(written, " ")
	if !ok {
		method, path = "", written
	}
	var out []string
	for _, d := range s.apis() {
		if d.OpenAPI == nil {
			continue
		}
		for _, o := range d.OpenAPI.Operations {
			if o.Path == path && (method == "" || strings.EqualFold(o.Method, method)) {
				out = append(out, precise(d, o, true))
			}
		}
	}
	return out
}

// precise writes a reference that names the operation alone. Operations of
// AsyncAPI that share their id are told apart by their places, which is no
// reference: only their channels can be named.
func (t Target) precise(twice bool) string {
	switch {
	case t.Async == nil:
		return precise(t.Description, t.Operation, twice)
	case twice:
		return t.Description.Name + "#" + t.Async.Node.Pointer()
	default:
		return sourcePrefix + t.Description.Name + "." + t.Async.ID
	}
}

// withoutPrefix gives the references to an operation that is written as
// NAME.ID, without what an expression begins with.
func (s *Set) withoutPrefix(written string) []string {
	for _, d := range s.apis() {
		if id, ok := strings.CutPrefix(written, d.Name+"."); ok && len(d.targets(id)) > 0 {
			return []string{sourcePrefix + written}
		}
	}
	return nil
}
