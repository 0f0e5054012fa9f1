package source

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

const channelForm = "a channelPath is written {" + sourcePrefix + "NAME.url}#/channels/KEY"

// FindChannel gives the AsyncAPI channel that a step's channelPath names, with
// its description: {$sourceDescriptions.NAME.url}#/channels/KEY, with the key as
// a token of a JSON Pointer, percent-encoded as a fragment. The forms that
// documents write besides are read too: the name without braces or without .url,
// a bare name or URL before the #, nothing before it, or the key alone, where the
// document has one AsyncAPI source. The error is a *NotFoundError.
func (s *Set) FindChannel(path string) (*Description, *asyncapi.Channel, error) {
	sources := s.asyncSources()
	if len(sources) == 1 {
		if c := sources[0].AsyncAPI.Channel(path); c != nil {
			return sources[0], c, nil
		}
	}
	before, fragment, ok := strings.Cut(path, "#")
	if !ok {
		return nil, nil, s.noChannel(path, sources)
	}
	d, err := s.sourceOf("channel", before, path, sources)
	if err != nil {
		return nil, nil, err
	}
	if d.AsyncAPI == nil {
		return d, nil, &NotFoundError{What: "channel", Ref: path, Detail: notOfType(d, TypeAsyncAPI)}
	}
	pointer, err := fragmentPointer(fragment)
	if err != nil {
		return d, nil, &NotFoundError{What: "channel", Ref: path, Detail: err.Error()}
	}
	if len(pointer) == 2 && pointer[0] == "channels" {
		if c := d.AsyncAPI.Channel(pointer[1]); c != nil {
			return d, c, nil
		}
	}
	return d, nil, d.lostChannel(pointer, path)
}

// asyncSources lists the sources that may describe channels.
func (s *Set) asyncSources() []*Description {
	var out []*Description
	for _, d := range s.Sources {
		if d.Type == TypeAsyncAPI {
			out = append(out, d)
		}
	}
	return out
}

// noChannel explains a path that has no #.
func (s *Set) noChannel(path string, sources []*Description) error {
	e := &NotFoundError{What: "channel", Ref: path, Detail: channelForm}
	if expression, ok := sourceExpression(path); ok {
		d, rest, err := s.named(expression, path)
		if err != nil {
			return err
		}
		e.Candidates = d.channelsLike(strings.TrimPrefix(rest, "."))
		return e
	}
	switch len(sources) {
	case 0:
		e.Detail = "the document has no source of type asyncapi"
	case 1:
		if sources[0].Problem != nil {
			e.Detail = notOfType(sources[0], TypeAsyncAPI)
		}
	default:
		e.Detail = fmt.Sprintf("of %d AsyncAPI sources it does not say which; %s", len(sources), channelForm)
	}
	for _, d := range sources {
		e.Candidates = append(e.Candidates, d.channelsLike(path)...)
	}
	return e
}

// lostChannel explains a pointer that names no channel.
func (d *Description) lostChannel(pointer value.Pointer, path string) error {
	e := &NotFoundError{What: "channel", Ref: path}
	if len(pointer) < 2 || pointer[0] != "channels" {
		e.Detail = channelForm
		if len(pointer) == 2 && pointer[0] == "operations" && len(d.AsyncAPI.ByID(pointer[1])) > 0 {
			e.Detail = fmt.Sprintf("this is an operation, which operationId: %s%s.%s names", sourcePrefix, d.Name, pointer[1])
		}
		return e
	}
	key := strings.Join(pointer[1:], "/") // of one whose slashes are not escaped
	e.Detail = fmt.Sprintf("source %s has no channel %s", quote(d.Name), quote(key))
	if len(pointer) > 2 && d.AsyncAPI.Channel(pointer[1]) != nil {
		key = pointer[1]
		e.Detail = "the pointer leads beyond a channel"
	} else if len(pointer) > 2 {
		e.Detail = "in a key, / is written ~1"
	}
	e.Candidates = d.channelsLike(key)
	return e
}

// channelsLike gives references to the channels that may have been meant by a
// key: the one that has it, or has it as its address, else those with a like key.
func (d *Description) channelsLike(key string) []string {
	if d.AsyncAPI == nil {
		return nil
	}
	var keys []string
	for _, c := range d.AsyncAPI.Channels {
		if c.Key == key || c.Address.Present() && c.Address.Value == key {
			return []string{d.channelRef(c.Key)}
		}
		keys = append(keys, c.Key)
	}
	var refs []string
	for _, name := range nearest(key, keys) {
		refs = append(refs, d.channelRef(name))
	}
	return refs
}

func (d *Description) channelRef(key string) string {
	pointer := value.Pointer{"channels", key}.String()
	return "{" + sourcePrefix + d.Name + ".url}#" + strings.ReplaceAll(pointer, "%", "%25")
}
