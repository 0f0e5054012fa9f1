package lint

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// compileGlob translates a pattern for paths: see Ignore.Path.
func compileGlob(pattern string) (*regexp.Regexp, error) {
	clean := strings.TrimPrefix(strings.Trim(filepath.ToSlash(pattern), "/"), "./")
	if clean == "" {
		return nil, fmt.Errorf("the path %q names nothing", pattern)
	}
	var b strings.Builder
	b.WriteString("^")
	names := strings.Split(clean, "/")
	for i, name := range names {
		if name == "**" {
			if i == len(names)-1 {
				b.WriteString(".+")
			} else {
				b.WriteString("(?:[^/]+/)*")
			}
			continue
		}
		if err := globName(&b, name); err != nil {
			return nil, fmt.Errorf("the path %q cannot be read: %w", pattern, err)
		}
		if i < len(names)-1 {
			b.WriteString("/")
		}
	}
	b.WriteString("(?:/.*)?$") // a folder stands for what lies in it
	compiled, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("the path %q cannot be read: %w", pattern, err)
	}
	return compiled, nil
}

// globName translates one name of a pattern.
func globName(b *strings.Builder, name string) error {
	for len(name) > 0 {
		size := 1
		switch name[0] {
		case '*':
			b.WriteString("[^/]*")
		case '?':
			b.WriteString("[^/]")
		case '[':
			end := strings.IndexByte(name, ']')
			if end < 2 {
				return fmt.Errorf("[ has no ], or nothing stands between")
			}
			b.WriteString(strings.Replace(strings.ReplaceAll(name[:end+1], `\`, `\\`), "[!", "[^", 1))
			size = end + 1
		default:
			size = strings.IndexAny(name, "*?[")
			if size < 0 {
				size = len(name)
			}
			b.WriteString(regexp.QuoteMeta(name[:size]))
		}
		name = name[size:]
	}
	return nil
}

// pathBelow gives a path as it is seen from a folder, with / between names. One
// that cannot be seen from there is given as it is.
func pathBelow(folder, path string) string {
	if folder == "" {
		folder = "."
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return filepath.ToSlash(path)
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	below, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(below)
}
