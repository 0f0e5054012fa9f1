package executor

import (
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// messageView is a message as expressions see it: as $message, and, since a message
// over HTTP is a request, as $request and $method too.
type messageView struct {
	message *Message
	payload decoded
}

// Resolve gives what an expression names in the message (expression.Scope).
func (v *messageView) Resolve(e *expression.Expression) value.Value {
	if v == nil || v.message == nil {
		return value.Absent
	}
	switch {
	case e.Root == expression.Method:
		return textOrAbsent(v.message.Method)
	case e.Root != expression.Message && e.Root != expression.Request:
		return value.Absent
	}
	switch e.Part {
	case expression.HeaderPart:
		return field(v.message.Header, e.Name)
	case expression.QueryPart:
		return listed(v.message.Query[e.Name])
	case expression.PathPart:
		return textOrAbsent(v.message.Path[e.Name])
	case expression.PayloadPart, expression.BodyPart:
		return v.body()
	default:
		return value.Absent
	}
}

// body gives the payload: JSON as what it says, anything else as its text.
func (v *messageView) body() value.Value {
	if v == nil || v.message == nil {
		return value.Absent
	}
	if !v.payload.done {
		v.payload = decodeBody(v.message.Header, v.message.Body)
	}
	return v.payload.value
}
