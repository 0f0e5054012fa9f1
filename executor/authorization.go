package executor

import "context"

// Authorization is what shows to a server who sends a request. It is added
// beneath the record of the run: Exchange.Sent names its fields and has *** in
// place of their values.
type Authorization struct {
	// Fields are added to the request, in this order. A field that the request has
	// already, because the document writes it or an earlier one is the same, is left
	// as it is.
	Fields []AuthorizationField
	// Notices are what a person should know, such as what is missing.
	Notices []string
	// Answered takes the status of a complete answer from the origin that the
	// fields were sent to; nil: nobody wants to know. It tells whether what the
	// server refused with it has been renewed, so that another attempt makes sense.
	Answered func(ctx context.Context, status int) (renewed bool, err error)
}

// AuthorizationField is one part of an Authorization.
type AuthorizationField struct {
	Name, In string // In is header, query or cookie
	Value    string
	// Shown tells that the value is no secret, and recorded as it is.
	Shown bool
}
