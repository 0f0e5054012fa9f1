package source

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// Locate gives the URL of what a person names: an http or https URL as it is,
// anything else as a file, relative to the working directory.
func Locate(name string) (string, error) {
	if isNetwork(name) {
		u, err := url.Parse(name)
		if err != nil {
			return "", fmt.Errorf("%s is no URL: %w", quote(name), err)
		}
		return withoutFragment(u).String(), nil
	}
	if rest, ok := strings.CutPrefix(name, "file://"); ok && strings.HasPrefix(rest, "/") {
		return name, nil
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return fileURL(absolute), nil
}

// asURL makes a URL of a location that is given as a path.
func asURL(location string) string {
	if u, err := url.Parse(location); err == nil && len(u.Scheme) > 1 { // C: is a drive
		return location
	}
	if located, err := Locate(location); err == nil {
		return located
	}
	return location
}

// Display gives a location as a person would write it: a file beneath the
// working directory by its relative path, other files by their path, the rest
// as the URL that it is.
func Display(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "file" {
		return location
	}
	name := filePath(u)
	working, err := os.Getwd()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(working, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}

// BaseURI gives the URI against which the references of a document resolve: its
// $self, resolved against the location where it is relative, else the location
// (Arazzo 1.1, Establishing the Base URI; RFC 3986, section 5.1).
func BaseURI(doc *arazzo.Document, location string) string {
	self := doc.Self.Value
	if self == "" {
		return location
	}
	ref, err := url.Parse(self)
	if err != nil {
		return location
	}
	base, err := url.Parse(location)
	if err != nil {
		return location
	}
	return withoutFragment(base.ResolveReference(ref)).String()
}

func isNetwork(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// fileURL gives the URL of an absolute path (RFC 8089).
func fileURL(absolute string) string {
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/x becomes file:///C:/x
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// filePath gives the path that a file URL names.
func filePath(u *url.URL) string {
	name := u.Path
	if len(name) > 2 && name[0] == '/' && name[2] == ':' && filepath.VolumeName(name[1:]) != "" {
		name = name[1:]
	}
	return filepath.FromSlash(name)
}

// beneath gives the file that a relative reference names under a folder. Dot
// segments cannot lead out of it.
func beneath(root string, ref *url.URL) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("find the root %s: %w", root, err)
	}
	return fileURL(filepath.Join(absolute, filepath.FromSlash(path.Clean("/"+ref.Path)))), nil
}

// withoutFragment gives a copy of u that names the whole document.
func withoutFragment(u *url.URL) *url.URL {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	c.Scheme, c.Host = strings.ToLower(c.Scheme), strings.ToLower(c.Host)
	return &c
}
