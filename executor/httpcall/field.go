package httpcall

import (
	"context"
	"slices"

	"github.com/weft-flow/weft/executor"
)

type fieldsKey struct{}

// WithHeader gives a context in which a request has a further header field, where it has
// none of this name: such as one by which traces of many services are put together. It is
// recorded as it is, and must be no secret.
func WithHeader(ctx context.Context, name, value string) context.Context {
	before, _ := ctx.Value(fieldsKey{}).([]executor.AuthorizationField)
	field := executor.AuthorizationField{Name: name, In: inHeader, Value: value, Shown: true}
	return context.WithValue(ctx, fieldsKey{}, append(slices.Clip(before), field))
}

// further gives the request with the fields of the context. One that cannot be written
// is left out: nothing hangs on it.
func further(ctx context.Context, p *Prepared) *Prepared {
	fields, _ := ctx.Value(fieldsKey{}).([]executor.AuthorizationField)
	for _, f := range fields {
		if p.has(f) {
			continue
		}
		request, record := p.clone(), p.clone()
		if err := request.add(f, record); err == nil {
			p = request
		}
	}
	return p
}
