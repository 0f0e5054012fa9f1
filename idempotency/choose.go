package idempotency

import (
	"fmt"
	"strings"
)

// Choice is all that decides whether a request bears a key.
type Choice struct {
	Method string
	// Written are the header parameters that the step writes, in its order.
	Written []Field
	// Extension is what x-weft-idempotency says; nil: nothing.
	Extension *Extension
	// Profile is what the configuration says of the API; nil: nothing.
	Profile *Profile
	// Declared are the header parameters of the operation's description, required
	// or not, in its order.
	Declared []Declared
	// BusinessKey is the value of the business key; empty where none is named.
	BusinessKey string
}

// Field is one header field with its value as it goes onto the wire.
type Field struct {
	Name, Value string
}

// Extension is what x-weft-idempotency says for a step: on the step itself, else
// on its workflow, else on the document.
type Extension struct {
	Off    bool
	Header string // empty: it only names a format or a business key
	Format Format // empty: not said
	// OnStep tells that the step itself says so: then the method is not asked.
	OnStep bool
}

// Declared is one header parameter that an API's description declares.
type Declared struct {
	Name string
	// Quoted tells that its schema wants a string of Structured Fields.
	Quoted bool
	// MaxLength is the greatest length by its schema; 0: none.
	MaxLength int
}

// Source is where the value of a key comes from.
type Source string

// The sources. A key from a business key is derived like any other, with the
// business key as the run key.
const (
	FromNone     Source = "none"
	FromWritten  Source = "written"
	FromBusiness Source = "business"
	FromRun      Source = "derived"
)

// Plan is the answer to a Choice.
type Plan struct {
	Source  Source
	Dialect Dialect // the zero value where Source is FromNone
	// Contract tells that the API promises to honour the key.
	Contract bool
	Reason   string // why, in words

	written string
}

// defaultMethods are the methods under which a key is made.
var defaultMethods = []string{"POST", "PATCH"}

// ChooseKey decides whether a request bears a key, and in which dialect. The
// first that applies: a parameter written in the step; x-weft-idempotency; a
// profile; a declared header that is known to bear keys. Otherwise no key is
// invented. A header that is only written, and that neither the API nor
// x-weft-idempotency nor a profile names, is sent, but is no contract.
func ChooseKey(c Choice) Plan {
	if plan, ok := c.fromWritten(); ok {
		return plan
	}
	if c.Extension != nil && c.Extension.Off {
		return none("x-weft-idempotency is off")
	}
	if c.Extension != nil && c.Extension.Header != "" {
		return c.fromExtension()
	}
	if c.Profile != nil && c.Profile.Dialect.Header != "" {
		return c.fromProfile()
	}
	if declared, dialect, ok := c.declaredKey(); ok {
		return c.fromDeclared(declared, dialect)
	}
	return none("nothing says that the API takes a key")
}

// Key gives the key to send. derived is what DeriveKey made; it is not looked at
// where the step writes the key itself. It is an error (ErrKey) if the key breaks
// its dialect; the zero Key if none is to be sent.
func (p Plan) Key(derived string) (Key, error) {
	switch p.Source {
	case FromWritten:
		return p.Dialect.Accept(p.written)
	case FromBusiness, FromRun:
		return p.Dialect.Encode(derived)
	default:
		return Key{}, nil
	}
}

// Settles tells whether the answer to an attempt under this plan speaks for the
// whole operation: what Operation.After wants to know.
func (p Plan) Settles(attempt Class, status int) bool {
	return p.Contract && p.Dialect.SpeaksForOperation(attempt, status)
}

func none(reason string) Plan { return Plan{Source: FromNone, Reason: reason} }

func (c Choice) fromWritten() (Plan, bool) {
	for _, field := range c.Written {
		dialect, ok := c.dialectOf(field.Name)
		if !ok {
			continue
		}
		dialect.Header = field.Name
		contract, who := c.promise(field.Name)
		plan := Plan{
			Source: FromWritten, Dialect: c.adjust(dialect), Contract: contract, written: field.Value,
			Reason: "the step writes " + field.Name + "; " + who,
		}
		return plan, true
	}
	return Plan{}, false
}

// dialectOf gives the dialect in which a written header is read; ok is false
// where nothing says that it bears a key.
func (c Choice) dialectOf(header string) (d Dialect, ok bool) {
	if c.Profile != nil && sameHeader(header, c.Profile.Dialect.Header) {
		return c.Profile.Dialect, true
	}
	if d, ok = KnownHeader(header); ok {
		return d, true
	}
	if c.Extension != nil && sameHeader(header, c.Extension.Header) {
		return Plain(header), true
	}
	return Dialect{}, false
}

// promise tells whether anybody says that the API honours keys in a header, and
// who does.
func (c Choice) promise(header string) (contract bool, who string) {
	switch {
	case c.Extension != nil && c.Extension.Off:
		return false, "x-weft-idempotency is off, so it is no contract"
	case c.Extension != nil && sameHeader(header, c.Extension.Header):
		return true, "x-weft-idempotency names it"
	case c.Profile != nil && sameHeader(header, c.Profile.Dialect.Header):
		return true, c.Profile.title() + " names it"
	}
	for _, declared := range c.Declared {
		if sameHeader(header, declared.Name) {
			return true, "the API declares it"
		}
	}
	return false, "the API does not declare it, so it is no contract"
}

func (c Choice) fromExtension() Plan {
	if !c.Extension.OnStep && !c.takesKey() {
		return none(c.Method + " bears no key unless the step says so")
	}
	dialect, ok := c.dialectOf(c.Extension.Header)
	if !ok {
		dialect = Plain(c.Extension.Header)
	}
	dialect.Header = c.Extension.Header
	return c.made(dialect, "x-weft-idempotency names "+c.Extension.Header)
}

func (c Choice) fromProfile() Plan {
	if !c.takesKey() {
		return none(fmt.Sprintf("%s bears no key under %s", c.Method, c.Profile.title()))
	}
	return c.made(c.Profile.Dialect, c.Profile.title()+" names "+c.Profile.Dialect.Header)
}

func (c Choice) declaredKey() (Declared, Dialect, bool) {
	for _, declared := range c.Declared {
		if dialect, ok := KnownHeader(declared.Name); ok {
			return declared, dialect, true
		}
	}
	return Declared{}, Dialect{}, false
}

func (c Choice) fromDeclared(declared Declared, dialect Dialect) Plan {
	if !c.takesKey() {
		return none(c.Method + " bears no key unless the step says so")
	}
	dialect.Header = declared.Name
	return c.made(dialect, "the API declares "+declared.Name)
}

func (c Choice) made(dialect Dialect, reason string) Plan {
	source := FromRun
	if c.BusinessKey != "" {
		source = FromBusiness
	}
	return Plan{Source: source, Dialect: c.adjust(dialect), Contract: true, Reason: reason}
}

// adjust fits a dialect to what this API's schema and x-weft-idempotency say: the
// stricter length, and the format by x-weft-idempotency, else by the profile,
// else by the schema.
func (c Choice) adjust(dialect Dialect) Dialect {
	for _, declared := range c.Declared {
		if !sameHeader(declared.Name, dialect.Header) {
			continue
		}
		if declared.MaxLength > 0 && (dialect.MaxLength == 0 || declared.MaxLength < dialect.MaxLength) {
			dialect.MaxLength = declared.MaxLength
		}
		profiled := c.Profile != nil && sameHeader(c.Profile.Dialect.Header, dialect.Header)
		if declared.Quoted && !profiled {
			dialect.Format = SFString
		}
	}
	if c.Extension != nil && c.Extension.Format != "" {
		dialect.Format = c.Extension.Format
	}
	return dialect
}

func (c Choice) takesKey() bool {
	methods := defaultMethods
	if c.Profile != nil && c.Profile.Methods != nil {
		methods = c.Profile.Methods
	}
	return isOneOf(c.Method, methods)
}

func sameHeader(a, b string) bool { return a != "" && strings.EqualFold(a, b) }
