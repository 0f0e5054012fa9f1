package executor

import (
	"net/url"
	"path"

	"github.com/weft-flow/weft/arazzo/source"
)

// keyIdentity names a document in the keys that are derived for its operations. It is
// the same wherever a copy of the document lies, on whichever machine: two runs under
// one business key must not have two effects because they began in two folders. It is
// the $self that the document gives itself, resolved unless that would bring in the
// place of a file; without one the URL of a document from the network, and of a file
// its name with the title that the document bears.
func keyIdentity(set *source.Set) string {
	self := set.Document.Self
	base, err := url.Parse(set.Base)
	ofFile := err != nil || base.Scheme == "file" || base.Scheme == ""
	switch {
	case !ofFile:
		return set.Base
	case !self.Present():
		return nameOf(set.Location) + "\n" + set.Document.Info.Title.Value
	}
	if u, err := url.Parse(self.Value); err == nil && u.IsAbs() {
		return set.Base
	}
	return self.Value
}

// nameOf gives the last part of a location.
func nameOf(location string) string {
	if u, err := url.Parse(location); err == nil && u.Path != "" {
		return path.Base(u.Path)
	}
	return path.Base(location)
}
