package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-flow/weft/arazzo/value"
)

// shape is what an expression means, without the places it was written at.
var shape = cmp.Options{
	cmpopts.IgnoreFields(Expression{}, "Source", "OwnerAt", "NameAt", "PointerAt", "warnings"),
	cmpopts.IgnoreFields(Access{}, "Offset"),
	cmpopts.EquateEmpty(),
	cmp.AllowUnexported(Expression{}),
}

func wantOffset(t *testing.T, text string, err error, offset int) {
	t.Helper()
	var fault *Error
	switch {
	case !errors.As(err, &fault):
		t.Errorf("%q: no fault, but %v", text, err)
	case fault.Offset != offset || fault.Message == "":
		t.Errorf("%q: %v, want byte %d", text, err, offset)
	}
}

// grammar has what each production of the ABNF takes (Arazzo 1.1, Runtime
// Expressions).
var grammar = []struct {
	production, text string
	want             Expression
}{
	{"expression", "$url", Expression{Root: URL}},
	{"expression", "$method", Expression{Root: Method}},
	{"expression", "$statusCode", Expression{Root: StatusCode}},
	{"expression", "$self", Expression{Root: Self}},

	{"header-reference", "$request.header.accept", Expression{Root: Request, Part: HeaderPart, Name: "accept"}},
	{"header-reference", "$response.header.X-Trace.Id", Expression{Root: Response, Part: HeaderPart, Name: "X-Trace.Id"}},
	{"header-reference", "$message.header.Server", Expression{Root: Message, Part: HeaderPart, Name: "Server"}},
	{"token", "$request.header.!#$%&'*+-.^_`|~09azAZ", Expression{Root: Request, Part: HeaderPart, Name: "!#$%&'*+-.^_`|~09azAZ"}},
	{"query-reference", "$request.query.page", Expression{Root: Request, Part: QueryPart, Name: "page"}},
	{"query-reference", "$response.query.q", Expression{Root: Response, Part: QueryPart, Name: "q"}},
	{"name", "$request.query.", Expression{Root: Request, Part: QueryPart}},
	{"name", "$request.query.filter[a b].c#/d", Expression{Root: Request, Part: QueryPart, Name: "filter[a b].c#/d"}},
	{"path-reference", "$request.path.id", Expression{Root: Request, Part: PathPart, Name: "id"}},
	{"path-reference", "$message.path.id", Expression{Root: Message, Part: PathPart, Name: "id"}},
	{"CHAR", `$request.query.\"\\\/\b\f\n\r\té`, Expression{Root: Request, Part: QueryPart, Name: "\"\\/\b\f\n\r\té"}},
	{"CHAR", `$request.query.\u007Bx\u007d\ud83d\ude00`, Expression{Root: Request, Part: QueryPart, Name: "{x}😀"}},
	{"body-reference", "$request.body", Expression{Root: Request, Part: BodyPart}},
	{"body-reference", "$response.body#", Expression{Root: Response, Part: BodyPart, hasPointer: true}},
	{"body-reference", "$response.body#/a/0", Expression{Root: Response, Part: BodyPart, Pointer: value.Pointer{"a", "0"}, hasPointer: true}},
	{"payload-reference", "$message.payload", Expression{Root: Message, Part: PayloadPart}},
	{"payload-reference", "$request.payload#/", Expression{Root: Request, Part: PayloadPart, Pointer: value.Pointer{""}, hasPointer: true}},

	{"json-pointer", "$response.body#//", Expression{Root: Response, Part: BodyPart, Pointer: value.Pointer{"", ""}, hasPointer: true}},
	{"reference-token", "$response.body#/a~1b/m~0n/~01", Expression{Root: Response, Part: BodyPart, Pointer: value.Pointer{"a/b", "m~n", "~1"}, hasPointer: true}},
	{"unescaped", "$response.body#/a.b[0] (c) == \"d\" é\t|^", Expression{Root: Response, Part: BodyPart, Pointer: value.Pointer{"a.b[0] (c) == \"d\" é\t|^"}, hasPointer: true}},

	{"inputs-reference", "$inputs.user", Expression{Root: Inputs, Name: "user"}},
	{"inputs-reference", "$inputs.user#/name", Expression{Root: Inputs, Name: "user", Pointer: value.Pointer{"name"}, hasPointer: true}},
	{"identifier", "$inputs.aZ09.-_", Expression{Root: Inputs, Name: "aZ09.-_"}},
	{"outputs-reference", "$outputs.id", Expression{Root: Outputs, Name: "id"}},
	{"outputs-reference", "$outputs.list#/0", Expression{Root: Outputs, Name: "list", Pointer: value.Pointer{"0"}, hasPointer: true}},
	{"steps-reference", "$steps.pay-1_A.outputs.id", Expression{Root: Steps, Owner: "pay-1_A", Part: OutputsPart, Name: "id"}},
	{"steps-reference", "$steps.a.outputs.x#/a~1b/0", Expression{Root: Steps, Owner: "a", Part: OutputsPart, Name: "x", Pointer: value.Pointer{"a/b", "0"}, hasPointer: true}},
	{"steps-reference", "$steps.outputs.outputs.outputs", Expression{Root: Steps, Owner: "outputs", Part: OutputsPart, Name: "outputs"}},
	{"workflows-reference", "$workflows.w.inputs.a", Expression{Root: Workflows, Owner: "w", Part: InputsPart, Name: "a"}},
	{"workflows-reference", "$workflows.w.outputs.a.b#/c", Expression{Root: Workflows, Owner: "w", Part: OutputsPart, Name: "a.b", Pointer: value.Pointer{"c"}, hasPointer: true}},
	{"source-reference", "$sourceDescriptions.shop.url", Expression{Root: SourceDescriptions, Owner: "shop", Name: "url"}},
	{"source-reference", "$sourceDescriptions.shop.get order/1.2#x", Expression{Root: SourceDescriptions, Owner: "shop", Name: "get order/1.2#x"}},
	{"components-reference", "$components.parameters.page.size", Expression{Root: Components, Owner: "parameters", Name: "page.size"}},
	{"components-reference", "$components.successActions.done", Expression{Root: Components, Owner: "successActions", Name: "done"}},
	{"components-reference", "$components.failureActions.retry", Expression{Root: Components, Owner: "failureActions", Name: "retry"}},
}

func TestEveryProductionOfTheGrammar(t *testing.T) {
	for _, c := range grammar {
		got, err := Parse(c.text, nil)
		if err != nil {
			t.Errorf("%s: %q: %v", c.production, c.text, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got, shape); diff != "" {
			t.Errorf("%s: %q: %s", c.production, c.text, diff)
		}
		if got.Source != c.text || len(got.Warnings()) != 0 {
			t.Errorf("%s: %q: source %q, warnings %v", c.production, c.text, got.Source, got.Warnings())
		}
	}
}

func TestWhatTheGrammarRefuses(t *testing.T) {
	for text, offset := range map[string]int{
		"": 0, "$": 0, "url": 0, "$Url": 0, "$unknown.x": 0, "$.items": 0, "$5": 0, " $url": 0,
		"$url ": 4, "$url.x": 4, "$statusCode#/a": 11, "$self[0]": 5, "$urls": 0, "$statusCode-1": 11,
		"$request": 8, "$request.": 9, "$response.": 10, "$response.headers.X": 10, "$response.cookie.x": 10,
		"$response.header": 10, "$response.header.": 17, "$response.header.X Y": 18, "$response.header.X#/a": 19, "$response.header.X(": 18, "$response.header.X[0]": 18,
		"$response.path#/code": 10,
		`$request.query.a"b`:   16, `$request.query.a\`: 16, `$request.query.a\x`: 16, `$request.query.\u12`: 15, "$request.query.a{b": 16, "$request.query.a}": 16, "$request.query.a\nb": 16,
		"$response.bodyx": 14, "$response.body/a": 14, "$response.body#a": 15, "$response.body#/~": 16, "$response.body#/a~2b": 17, "$response.body#/a{b}": 17, "$response.body#/a}": 17,
		"$message.payload ": 16, "$message.correlationId": 9,
		"$inputs": 7, "$inputs.": 8, "$inputs.#/a": 8, "$inputs.a b": 9, "$inputs.é": 8, "$inputs.a#b": 10,
		"$outputs.": 9, "$steps": 6, "$steps.": 7, "$steps.a": 8, "$steps.a.": 8, "$steps.a.outputs": 8, "$steps.a.outputs.": 17, "$steps.a.status": 8, "$steps..outputs.x": 7, "$steps.a b.outputs.x": 8,
		"$workflows.": 11, "$workflows.w": 12, "$workflows.w.steps.s": 12, "$workflows.w.outputs.": 21, "$workflows.w.inputs.": 20,
		"$sourceDescriptions.": 20, "$sourceDescriptions.a": 21, "$sourceDescriptions.a.": 22, "$sourceDescriptions.a#/paths": 21, "$sourceDescriptions.a.b{c": 23,
		"$components.": 12, "$components.inputs.x": 12, "$components.parameters": 12, "$components.parameters.": 23, "$components.parameters.a b": 24, "$components.parameters.a#/b": 24,
		"$inputs.list[": 13, "$inputs.list[]": 13, "$inputs.list[x]": 13, "$inputs.list[-1]": 13, "$inputs.list[01]": 13, "$inputs.list[1": 13, "$inputs.list[99999999999999999999]": 13, "$inputs.list[0]x": 15,
		"$response.body.": 15, "$response.body..a": 15, "$response.body.a#/b": 16, "$response.body[*]": 15,
	} {
		e, err := Parse(text, nil)
		if err == nil {
			t.Errorf("%q is read as %s", text, e)
			continue
		}
		wantOffset(t, text, err, offset)
	}
}

func TestFaultsSayWhatWasExpected(t *testing.T) {
	for text, want := range map[string]string{
		"$input.x":                    "did you mean $inputs?",
		"$StatusCode":                 "did you mean $statusCode?",
		"$foo":                        "expected one of $url, $method",
		"$steps.a.status":             "expected '.outputs.', found '.'",
		"$response.headers.X":         "expected 'header.'",
		"$response.header.":           "expected a header's name",
		"$components.inputs.x":        "'parameters.', 'successActions.' or 'failureActions.'",
		"$response.body#/a~2b":        "'~0'",
		"$response.body#/a and more}": "unexpected '}'",
	} {
		if _, err := Parse(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want it to say %s", text, err, want)
		}
	}
}

var declaredNames = &Names{
	Inputs:          []string{"customer", "customer.id", "first name", "list", "a#/b", "naïve", "x"},
	Outputs:         []string{"total sum"},
	Steps:           []string{"pay", "pay.again", "get it"},
	Workflows:       []string{"main", "main.sub"},
	Sources:         []string{"shop", "shop.v2"},
	StepOutputs:     map[string][]string{"pay": {"b", "b.c", "list", "über"}, "get it": {"out put"}},
	WorkflowOutputs: map[string][]string{"main": {"grand total"}},
	WorkflowInputs:  map[string][]string{"main.sub": {"in put"}},
}

func TestDeclaredNamesAreMatchedFirstTheLongestWins(t *testing.T) {
	for _, c := range []struct {
		text string
		want Expression
	}{
		{"$inputs.customer.id", Expression{Root: Inputs, Name: "customer.id"}},
		{"$inputs.customer.idle", Expression{Root: Inputs, Name: "customer", Accesses: []Access{{Name: "idle"}}}},
		{"$inputs.customer-x", Expression{Root: Inputs, Name: "customer-x"}},
		{"$inputs.customers.id", Expression{Root: Inputs, Name: "customers.id"}},
		{"$inputs.first name", Expression{Root: Inputs, Name: "first name"}},
		{"$inputs.first name#/a", Expression{Root: Inputs, Name: "first name", Pointer: value.Pointer{"a"}, hasPointer: true}},
		{"$inputs.a#/b", Expression{Root: Inputs, Name: "a#/b"}},
		{"$inputs.a#/c", Expression{Root: Inputs, Name: "a", Pointer: value.Pointer{"c"}, hasPointer: true}},
		{"$outputs.total sum", Expression{Root: Outputs, Name: "total sum"}},
		{"$steps.pay.outputs.b.c", Expression{Root: Steps, Owner: "pay", Part: OutputsPart, Name: "b.c"}},
		{"$steps.pay.outputs.b.d", Expression{Root: Steps, Owner: "pay", Part: OutputsPart, Name: "b", Accesses: []Access{{Name: "d"}}}},
		{"$steps.pay.outputs.other.d", Expression{Root: Steps, Owner: "pay", Part: OutputsPart, Name: "other.d"}},
		{"$steps.pay.again.outputs.x", Expression{Root: Steps, Owner: "pay.again", Part: OutputsPart, Name: "x"}},
		{"$steps.get it.outputs.out put", Expression{Root: Steps, Owner: "get it", Part: OutputsPart, Name: "out put"}},
		{"$workflows.main.outputs.grand total", Expression{Root: Workflows, Owner: "main", Part: OutputsPart, Name: "grand total"}},
		{"$workflows.main.sub.inputs.in put", Expression{Root: Workflows, Owner: "main.sub", Part: InputsPart, Name: "in put"}},
		{"$sourceDescriptions.shop.v2.url", Expression{Root: SourceDescriptions, Owner: "shop.v2", Name: "url"}},
		{"$sourceDescriptions.shop.v3.url", Expression{Root: SourceDescriptions, Owner: "shop", Name: "v3.url"}},
	} {
		got, err := Parse(c.text, declaredNames)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got, shape); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestToleratedFormsAreToldWithTheirPlaceAndFix(t *testing.T) {
	for _, c := range []struct {
		text        string
		kind        WarningKind
		offset, end int
		standard    string
	}{
		{"$response.body.a.b", DottedBody, 14, 18, "$response.body#/a/b"},
		{"$response.body[0].id", DottedBody, 14, 20, "$response.body#/0/id"},
		{"$message.payload.a-b", DottedBody, 16, 20, "$message.payload#/a-b"},
		{"$steps.pay.outputs.list[0].id", BracketAfterOutput, 23, 29, "$steps.pay.outputs.list#/0/id"},
		{"$steps.new.outputs.list[12]", BracketAfterOutput, 23, 27, "$steps.new.outputs.list#/12"},
		{"$inputs.customer.name", BracketAfterOutput, 16, 21, "$inputs.customer#/name"},
		{"$outputs.l[0][1]", BracketAfterOutput, 10, 16, "$outputs.l#/0/1"},
		{"$inputs.first name", NameOutsideGrammar, 8, 18, "$inputs.first name"},
		{"$steps.pay.again.outputs.x", NameOutsideGrammar, 7, 16, "$steps.pay.again.outputs.x"},
	} {
		e, err := Parse(c.text, declaredNames)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if len(e.Warnings()) != 1 {
			t.Errorf("%q: warnings %v", c.text, e.Warnings())
			continue
		}
		w := e.Warnings()[0]
		if w.Kind != c.kind || w.Offset != c.offset || w.End != c.end || w.Message == "" {
			t.Errorf("%q: %+v", c.text, w)
		}
		if e.Standard() != c.standard {
			t.Errorf("%q: standard form %s, want %s", c.text, e.Standard(), c.standard)
		}
	}
}

func TestPlacesOfOwnerNameAndPointer(t *testing.T) {
	e, err := Parse("$steps.pay.outputs.b.c#/x", declaredNames)
	if err != nil {
		t.Fatal(err)
	}
	if e.OwnerAt != 7 || e.NameAt != 19 || e.PointerAt != 22 || !e.HasPointer() {
		t.Errorf("owner at %d, name at %d, pointer at %d", e.OwnerAt, e.NameAt, e.PointerAt)
	}
}

// checkStable holds an expression to being read back from what it prints.
func checkStable(t *testing.T, e *Expression, names *Names) {
	t.Helper()
	again, err := Parse(e.String(), names)
	if err != nil {
		t.Fatalf("%q is printed %q: %v", e.Source, e, err)
	}
	if diff := cmp.Diff(e, again, shape); diff != "" || again.String() != e.String() {
		t.Fatalf("%q is printed %q: %s", e.Source, e, diff)
	}
}

func TestPrintedExpressionsAreReadBack(t *testing.T) {
	for _, c := range grammar {
		e, err := Parse(c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkStable(t, e, nil)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range grammar {
		f.Add(c.text, false)
	}
	f.Add("$inputs.first name.x[0]", true)
	f.Add("$steps.pay.again.outputs.list[0].id", true)
	f.Fuzz(func(t *testing.T, text string, declare bool) {
		var names *Names
		if declare {
			names = declaredNames
		}
		e, err := Parse(text, names)
		LooksLike(text)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		checkStable(t, e, names)
		for _, w := range e.Warnings() {
			if w.Offset < 0 || w.End > len(text) || w.Offset >= w.End {
				t.Fatalf("%q: %+v", text, w)
			}
		}
		if standard, err := Parse(e.Standard(), names); err != nil || len(standard.Accesses) != 0 {
			t.Fatalf("%q: standard form %q: %v", text, e.Standard(), err)
		}
	})
}
