package webhook

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// The first segments of all paths.
const (
	webhooks  = "webhooks"
	channels  = "channels"
	callbacks = "callbacks"
)

// ParsePath reads the path of a request, escaped and beginning with a slash; false:
// it is none of ours. A slash at its end says nothing.
func ParsePath(escaped string) (channel.Target, bool) {
	path, absolute := strings.CutPrefix(escaped, "/")
	if !absolute {
		return channel.Target{}, false
	}
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil {
			return channel.Target{}, false
		}
		segments[i] = decoded
	}
	switch {
	case len(segments) >= 2 && segments[0] == callbacks && segments[1] != "":
		return channel.Target{Token: segments[1], Rest: segments[2:]}, true
	case len(segments) == 3 && segments[0] == webhooks:
		return channel.Target{Kind: executor.WebhookBox, Source: segments[1], Rest: segments[2:]}, true
	case len(segments) >= 3 && segments[0] == channels:
		return channel.Target{Kind: executor.ChannelBox, Source: segments[1], Rest: segments[2:]}, true
	default:
		return channel.Target{}, false
	}
}

// FixedPath gives the path of a box that all runs share: /webhooks/SOURCE/OPERATION, or
// /channels/SOURCE/ADDRESS with the parameters of the channel's address in braces, to be
// filled in by whoever sends.
func FixedPath(box executor.Mailbox) string {
	p := channel.PlaceOf(box)
	if p.Kind == executor.ChannelBox {
		return ServerPath(p.Source) + templatePath(p.Name)
	}
	return "/" + webhooks + "/" + escape(p.Source) + "/" + escape(p.Name)
}

// ServerPath gives what stands before the addresses of a source's channels: for a
// sender it is the path of the server of the AsyncAPI description.
func ServerPath(source string) string { return "/" + channels + "/" + escape(source) }

// ScopedPath gives the path of a box of one run: /callbacks/TOKEN, followed by the
// address of its channel where this has parameters, in braces.
func ScopedPath(box executor.Mailbox, token string) string {
	path := "/" + callbacks + "/" + escape(token)
	if strings.Contains(box.Address, "{") {
		path += templatePath(box.Address)
	}
	return path
}

// Addresses gives the absolute URLs at which the boxes of a run receive, by the name of
// the box, as executor.Opened has them. The tokens are those that channel.Inboxes.Open
// gave; base is how the receiver is seen from outside (BaseURL).
func Addresses(base string, boxes []executor.Mailbox, tokens map[string]string) map[string]string {
	all := make(map[string]string, len(boxes))
	for _, box := range boxes {
		if token := tokens[box.Name]; token != "" {
			all[box.Name] = base + ScopedPath(box, token)
		} else if !box.Scoped {
			all[box.Name] = base + FixedPath(box)
		}
	}
	return all
}

// BaseURL reads the URL by which the outside sees a receiver: absolute, http or https,
// perhaps with a path, without a query. The one that it gives has no slash at its end.
func BaseURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is no URL for messages: %w", text, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("%q is no URL for messages: expected http://HOST or https://HOST", text)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("%q is no URL for messages: expected neither credentials nor a query nor a fragment", u.Redacted())
	default:
		return strings.TrimRight(u.String(), "/"), nil
	}
}

// templatePath gives the address of a channel as a path: what stands outside of braces
// is escaped.
func templatePath(address string) string {
	address, _, _ = strings.Cut(address, "?")
	var path strings.Builder
	for _, s := range strings.Split(strings.Trim(address, "/"), "/") {
		path.WriteString("/" + strings.NewReplacer("%7B", "{", "%7D", "}").Replace(escape(s)))
	}
	return path.String()
}

// escape gives a text as one segment of a path, which no proxy takes for a dot segment.
func escape(text string) string {
	if text == "." || text == ".." {
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}
