package mock

import (
	"net/http"
	"slices"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// channelCatalog gives the channels of an AsyncAPI description that are reached over
// HTTP as the operations that take messages there, and as the webhooks that bring some;
// nil where there is none. What is sent is taken, written down as an effect, and
// acknowledged. What comes is sent by Server.Tell alone.
func channelCatalog(c *asyncapi.Catalog) *source.Catalog {
	if c == nil {
		return nil
	}
	catalog := &source.Catalog{Title: c.Title, Version: c.Version}
	for _, channel := range c.Channels {
		if !slices.ContainsFunc(channel.Servers, (*asyncapi.Server).SpeaksHTTP) {
			continue
		}
		catalog.Operations = append(catalog.Operations, channelOperation(c, channel), channelMessages(c, channel))
	}
	if len(catalog.Operations) == 0 {
		return nil
	}
	return catalog
}

func channelOperation(c *asyncapi.Catalog, channel *asyncapi.Channel) *source.Operation {
	op := &source.Operation{
		Kind: source.Request, ID: channel.Key, Method: channelMethod(c, channel), Path: channel.HTTPPath(),
		Responses: []*source.Response{{Status: "202"}},
	}
	for _, server := range channel.Servers {
		if server.SpeaksHTTP() {
			op.Servers = append(op.Servers, source.Server{URL: server.URL()})
		}
	}
	for _, p := range channel.Parameters {
		op.Params = append(op.Params, &source.Parameter{Name: p.Name, In: "path", Required: true, Style: "simple"})
	}
	return op
}

// channelMethod gives the method of the http binding of an operation on the channel;
// POST where none says one.
func channelMethod(c *asyncapi.Catalog, channel *asyncapi.Channel) string {
	for _, o := range c.Operations {
		if o.Channel != channel {
			continue
		}
		if method := o.Bindings.HTTPMethod(); method != "" {
			return method
		}
	}
	return http.MethodPost
}
