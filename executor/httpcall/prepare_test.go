package httpcall

import (
	"bufio"
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// js reads a value from JSON.
func js(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// styled gives an argument that is declared with a style.
func styled(name, in, style string, explode bool, v value.Value) executor.Argument {
	return executor.Argument{Name: name, In: in, Value: v,
		Declared: &source.Parameter{Name: name, In: in, Style: style, Explode: explode}}
}

func TestStyles(t *testing.T) {
	const (
		list   = `["a b","c,d",3]`
		object = `{"R":100,"G":"x/y"}`
	)
	tests := []struct {
		in, style string
		explode   bool
		value     string
		want      string // the target; of headers and cookies the field
	}{
		{"path", "simple", false, `"a b/c"`, "/p/a%20b%2Fc/e"},
		{"path", "simple", false, `10.10`, "/p/10.10/e"},
		{"path", "simple", false, `9007199254740993`, "/p/9007199254740993/e"},
		{"path", "simple", false, `true`, "/p/true/e"},
		{"path", "simple", false, list, "/p/a%20b,c%2Cd,3/e"},
		{"path", "simple", true, list, "/p/a%20b,c%2Cd,3/e"},
		{"path", "simple", false, object, "/p/R,100,G,x%2Fy/e"},
		{"path", "simple", true, object, "/p/R=100,G=x%2Fy/e"},
		{"path", "label", false, `"x.y"`, "/p/.x.y/e"},
		{"path", "label", false, list, "/p/.a%20b,c%2Cd,3/e"},
		{"path", "label", true, list, "/p/.a%20b.c%2Cd.3/e"},
		{"path", "label", false, object, "/p/.R,100,G,x%2Fy/e"},
		{"path", "label", true, object, "/p/.R=100.G=x%2Fy/e"},
		{"path", "matrix", false, `"x;y"`, "/p/;v=x%3By/e"},
		{"path", "matrix", false, list, "/p/;v=a%20b,c%2Cd,3/e"},
		{"path", "matrix", true, list, "/p/;v=a%20b;v=c%2Cd;v=3/e"},
		{"path", "matrix", false, object, "/p/;v=R,100,G,x%2Fy/e"},
		{"path", "matrix", true, object, "/p/;R=100;G=x%2Fy/e"},

		{"query", "form", true, `"a b&c=d/é"`, "/p?v=a%20b%26c%3Dd%2F%C3%A9"},
		{"query", "form", true, `"a+b"`, "/p?v=a%2Bb"},
		{"query", "form", true, `"100%25"`, "/p?v=100%2525"},
		{"query", "form", true, `""`, "/p?v="},
		{"query", "form", true, list, "/p?v=a%20b&v=c%2Cd&v=3"},
		{"query", "form", false, list, "/p?v=a%20b,c%2Cd,3"},
		{"query", "form", true, object, "/p?R=100&G=x%2Fy"},
		{"query", "form", false, object, "/p?v=R,100,G,x%2Fy"},
		{"query", "form", true, `[]`, "/p"},
		{"query", "form", false, `{}`, "/p"},
		{"query", "form", true, `["a",null]`, "/p?v=a"},
		{"query", "spaceDelimited", false, list, "/p?v=a%20b%20c%2Cd%203"},
		{"query", "spaceDelimited", true, list, "/p?v=a%20b&v=c%2Cd&v=3"},
		{"query", "pipeDelimited", false, list, "/p?v=a%20b%7Cc%2Cd%7C3"},
		{"query", "deepObject", true, object, "/p?v%5BR%5D=100&v%5BG%5D=x%2Fy"},
		{"query", "deepObject", true, `{"a":{"b":[1,2]},"n":null}`, "/p?v%5Ba%5D%5Bb%5D=1&v%5Ba%5D%5Bb%5D=2"},
		{"query", "deepObject", true, `"x"`, "/p?v=x"},

		{"header", "simple", false, `"a b, é"`, "a b, é"},
		{"header", "simple", false, list, "a b,c,d,3"},
		{"header", "simple", false, object, "R,100,G,x/y"},
		{"header", "simple", true, object, "R=100,G=x/y"},

		{"cookie", "form", true, `"abc=="`, "v=abc=="},
		{"cookie", "form", true, `"a b;c"`, "v=a%20b%3Bc"},
		{"cookie", "form", false, list, "v=a%20b,c%2Cd,3"},
		{"cookie", "form", true, list, "v=a%20b; v=c%2Cd; v=3"},
		{"cookie", "form", true, object, "R=100; G=x/y"},
	}
	for _, test := range tests {
		name := test.in + " " + test.style
		if test.explode {
			name += " exploded"
		}
		t.Run(name+" "+test.value, func(t *testing.T) {
			call := aCall("GET", "http://server.test", "/p")
			if test.in == "path" {
				call.Operation.Path = "/p/{v}/e"
			}
			call.Arguments = []executor.Argument{styled("v", test.in, test.style, test.explode, js(t, test.value))}
			p, err := Prepare(call)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Target()
			switch test.in {
			case "header":
				got = p.Header.Get("v")
			case "cookie":
				got = p.Header.Get("Cookie")
			}
			if got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestUndeclaredParametersFollowTheDefaultsOfTheirPlace(t *testing.T) {
	call := aCall("GET", "http://server.test", "/p/{id}")
	list := js(t, `["a","b"]`)
	call.Arguments = []executor.Argument{
		{Name: "id", In: "path", Value: list}, {Name: "q", In: "query", Value: list},
		{Name: "x-h", In: "header", Value: list}, {Name: "c", In: "cookie", Value: list},
		{Name: "gone", In: "query", Value: value.Absent}, {Name: "nothing", In: "header", Value: value.Null},
	}
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Target(); got != "/p/a,b?q=a&q=b" {
		t.Errorf("target %s", got)
	}
	want := http.Header{"X-H": {"a,b"}, "Cookie": {"c=a; c=b"}, "User-Agent": {"weft"}}
	if got := p.Header; len(got) != 3 || got.Get("X-H") != "a,b" || got.Get("Cookie") != "c=a; c=b" {
		t.Errorf("header %v, want %v", got, want)
	}
}

func TestAllowReserved(t *testing.T) {
	reserved := func(in, text string) executor.Argument {
		a := styled("v", in, "", true, value.String(text))
		a.Declared.AllowReserved = true
		return a
	}
	for _, test := range []struct{ in, text, want string }{
		{"query", "a/b?c:d@e", "/p?v=a/b?c:d@e"},
		{"query", "a&b#c+d%2Fe%zz", "/p?v=a%26b%23c%2Bd%2Fe%25zz"},
		{"path", "a:b/c?d#e%2F", "/p/a:b%2Fc%3Fd%23e%252F"},
	} {
		call := aCall("GET", "http://server.test", "/p")
		if test.in == "path" {
			call.Operation.Path = "/p/{v}"
		}
		call.Arguments = []executor.Argument{reserved(test.in, test.text)}
		p, err := Prepare(call)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Target(); got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.in, test.text, got, test.want)
		}
	}
}

func TestParametersDescribedByContent(t *testing.T) {
	call := aCall("GET", "http://server.test", "/p")
	for _, in := range []string{"query", "header"} {
		call.Arguments = append(call.Arguments, executor.Argument{Name: "filter", In: in, Value: js(t, `{"b":10.10,"a":["x y"]}`),
			Declared: &source.Parameter{ContentType: "application/json"}})
	}
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Target(); got != "/p?filter=%7B%22b%22%3A10.10%2C%22a%22%3A%5B%22x%20y%22%5D%7D" {
		t.Errorf("target %s", got)
	}
	if got := p.Header.Get("Filter"); got != `{"b":10.10,"a":["x y"]}` {
		t.Errorf("header %s", got)
	}
}

func TestTargets(t *testing.T) {
	argument := func(name, in, text string) executor.Argument {
		return executor.Argument{Name: name, In: in, Value: value.String(text)}
	}
	tests := []struct {
		name, server, path string
		args               []executor.Argument
		want               string
	}{
		{"a server without a path", "http://s.test", "/a", nil, "http://s.test/a"},
		{"a server with a path", "http://s.test/v1", "/a", nil, "http://s.test/v1/a"},
		{"a server with a slash at its end", "http://s.test/v1/", "/a", nil, "http://s.test/v1/a"},
		{"a server alone", "http://s.test:81", "", nil, "http://s.test:81/"},
		{"a slash at the end is kept", "http://s.test", "/a/", nil, "http://s.test/a/"},
		{"a path without a slash", "http://s.test/v1", "a", nil, "http://s.test/v1/a"},
		{"escapes of the server are kept", "http://s.test/a%2Fb", "/c%2Fd e", nil, "http://s.test/a%2Fb/c%2Fd%20e"},
		{"a query of the server", "http://s.test/v1?key=1", "/a", []executor.Argument{argument("q", "query", "2")}, "http://s.test/v1/a?key=1&q=2"},
		{"a query of the path", "http://s.test?k=1", "/a?type=b&id={id}", []executor.Argument{argument("id", "path", "x&y"), argument("q", "query", "2")}, "http://s.test/a?k=1&type=b&id=x%26y&q=2"},
		{"a fragment of the path", "http://s.test", "/a#action", nil, "http://s.test/a"},
		{"parameters in one segment", "http://s.test", "/a/{x}-{y}.{x}", []executor.Argument{argument("x", "path", "1"), argument("y", "path", "..")}, "http://s.test/a/1-...1"},
		{"a brace that is never closed", "http://s.test", "/a/{x", nil, "http://s.test/a/%7Bx"},
		{"the whole query as text", "http://s.test?k=1", "/a", []executor.Argument{argument("all", "querystring", "category=a&min=3&q=%20 é#")}, "http://s.test/a?k=1&category=a&min=3&q=%20%20%C3%A9%23"},
		{"the whole query as an object", "http://s.test", "/a", []executor.Argument{{Name: "all", In: "querystring", Value: js(t, `{"category":"a b","min":3,"t":["x","y"]}`)}}, "http://s.test/a?category=a%20b&min=3&t=x&t=y"},
		{"the whole query as JSON", "http://s.test", "/a", []executor.Argument{{Name: "all", In: "querystring", Value: js(t, `{"a":1}`), Declared: &source.Parameter{ContentType: "application/json"}}}, "http://s.test/a?%7B%22a%22%3A1%7D"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := aCall("GET", test.server, test.path)
			call.Arguments = test.args
			p, err := Prepare(call)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Sent().URL; got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRefusedBeforeSending(t *testing.T) {
	arg := func(name, in string, v value.Value) executor.Argument {
		return executor.Argument{Name: name, In: in, Value: v}
	}
	text := value.String
	tests := []struct {
		name string
		call func(*executor.Call)
		want string // part of the message
	}{
		{"a path parameter without a value", func(c *executor.Call) { c.Arguments = nil }, `the path /a/{id} needs a value for its parameter "id"; none is given`},
		{"a path parameter of another name", func(c *executor.Call) { c.Arguments[0].Name = "ID" }, `needs a value for its parameter "id"; given are "ID"`},
		{"an empty path value", func(c *executor.Call) { c.Arguments[0].Value = text("") }, `the path parameter "id": its value is empty`},
		{"an empty list in the path", func(c *executor.Call) { c.Arguments[0].Value = value.Array() }, `the path parameter "id": its value is empty`},
		{"a dot", func(c *executor.Call) { c.Arguments[0].Value = text(".") }, `would become "."`},
		{"two dots", func(c *executor.Call) { c.Arguments[0].Value = text("..") }, `would become ".."`},
		{"a dot after a label's", func(c *executor.Call) {
			c.Arguments[0] = styled("id", "path", "label", false, text("."))
		}, `would become ".."`},
		{"two dots by two parameters", func(c *executor.Call) {
			c.Operation.Path = "/a/{id}{id}"
			c.Arguments[0].Value = text(".")
		}, `would become ".."`},
		{"a path parameter that the path has not", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("idd", "path", text("1")))
		}, `the path /a/{id} has no {idd}`},
		{"a list of lists", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("q", "query", js(t, `[[1]]`)))
		}, `the query parameter "q": a list or object inside`},
		{"an unknown place", func(c *executor.Call) { c.Arguments[0].In = "body" }, `there is no place "body"`},
		{"a line break in a header", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("X-A", "header", text("a\r\nEvil: 1")))
		}, `the header parameter "X-A": its value holds the control character 0x0d`},
		{"a line break in the name of a header", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("X-A: 1\r\nEvil", "header", text("a")))
		}, `is not the name of a header field`},
		{"a framing field", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("content-length", "header", text("0")))
		}, `"content-length": this field says how the request is carried`},
		{"another host", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("Host", "header", text("evil.test")))
		}, `"Host": this field says how the request is carried`},
		{"the name of a cookie", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("a=b; c", "cookie", text("1")))
		}, `is not the name of a cookie`},
		{"a key with a line break", func(c *executor.Call) {
			c.Key = &idempotency.Key{Header: "Idempotency-Key", Value: "a\nb"}
		}, `the idempotency key in Idempotency-Key`},
		{"two whole queries", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("a", "querystring", text("1")), arg("b", "querystring", text("2")))
		}, `"a" and "b" are each the whole query string`},
		{"a query parameter beside the whole query", func(c *executor.Call) {
			c.Arguments = append(c.Arguments, arg("a", "querystring", text("1")), arg("b", "query", text("2")))
		}, `"b" cannot be sent beside it`},
		{"a relative server", func(c *executor.Call) { c.Server = "/v1" }, "not an absolute http or https URL"},
		{"a server of another scheme", func(c *executor.Call) { c.Server = "ftp://s.test" }, "not an absolute http or https URL"},
		{"credentials in the server", func(c *executor.Call) { c.Server = "http://u:secret@s.test" }, "credentials belong into the configuration"},
		{"no operation", func(c *executor.Call) { c.Operation = nil }, "the call has no operation"},
		{"a strange method", func(c *executor.Call) { c.Operation.Method = "GET /x" }, "is not an HTTP method"},
		{"two content types", func(c *executor.Call) {
			*c = withBody(*c)
			c.Arguments = append(c.Arguments, arg("Content-Type", "header", text("text/plain")))
		}, `says text/plain, but the request body is of type application/json`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := aCall("POST", "http://server.test", "/a/{id}")
			call.Arguments = []executor.Argument{arg("id", "path", text("1"))}
			test.call(&call)
			_, err := Prepare(call)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the message tells a secret: %v", err)
			}
		})
	}
}

func TestWhatTheDocumentGivesIsSent(t *testing.T) {
	call := withKey(withBody(aCall("POST", "http://server.test", "/a")))
	for name, text := range map[string]string{"user-agent": "me", "content-type": "application/json; charset=utf-8", "accept": "a/b", "cookie": "x=1"} {
		call.Arguments = append(call.Arguments, executor.Argument{Name: name, In: "header", Value: value.String(text)})
	}
	call.Arguments = append(call.Arguments,
		executor.Argument{Name: "idempotency-key", In: "header", Value: value.String("other")},
		executor.Argument{Name: "session", In: "cookie", Value: value.String("s")})
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"User-Agent": "me", "Content-Type": "application/json; charset=utf-8", "Accept": "a/b",
		"Cookie": "x=1; session=s", "Idempotency-Key": "key-1"}
	for name, text := range want {
		if got := p.Header[name]; len(got) != 1 || got[0] != text {
			t.Errorf("%s: got %q, want %q", name, got, text)
		}
	}
	if len(p.Header) != len(want) {
		t.Errorf("header %v", p.Header)
	}
}

func FuzzPrepare(f *testing.F) {
	for _, seed := range []string{"", "a/b", "..", ".", "?", "#", "%2F", "a\r\nX: y", "é\x00", `["a","/"]`, `{"k":"v","..":"&"}`, "; x=1", `"`} {
		for style := range byte(8) {
			f.Add(seed, style, style%2 == 0)
		}
	}
	styles := []string{"", "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"}
	f.Fuzz(func(t *testing.T, text string, style byte, explode bool) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil || v.IsNothing() {
			v = value.String(text)
		}
		call := aCall("GET", "http://server.test/base", "/a/{v}/b")
		for _, in := range []string{"path", "query", "header", "cookie"} {
			a := styled("v", in, styles[int(style)%len(styles)], explode, v)
			a.Declared.AllowReserved = style > 100
			call.Arguments = append(call.Arguments, a)
		}
		for i := range call.Arguments {
			alone := call
			alone.Arguments = []executor.Argument{{Name: "v", In: "path", Value: value.String("1")}, call.Arguments[i]}
			if i == 0 {
				alone.Arguments = alone.Arguments[1:]
			}
			p, err := Prepare(alone)
			if err != nil {
				continue
			}
			checkShape(t, p, call.Arguments[i].In)
		}
	})
}

// checkShape reads the request back as a server does, and compares what no value
// may change.
func checkShape(t *testing.T, p *Prepared, in string) {
	t.Helper()
	var wire bytes.Buffer
	if err := p.request(t.Context()).Write(&wire); err != nil {
		t.Fatalf("net/http refuses what was prepared: %v", err)
	}
	line, _, _ := strings.Cut(wire.String(), "\r\n")
	if line != "GET "+p.Target()+" HTTP/1.1" {
		t.Fatalf("prepared %s, written %q", p.Target(), line)
	}
	r, err := http.ReadRequest(bufio.NewReader(&wire))
	if err != nil {
		t.Fatalf("a server cannot read %q: %v", wire.String(), err)
	}
	path := r.URL.EscapedPath()
	clean, err := url.JoinPath("http://x", path)
	whole := strings.HasPrefix(path, "/base/a/") && strings.HasSuffix(path, "/b") && strings.Count(path, "/") == 4
	if !whole || err != nil || clean != "http://x"+path {
		t.Errorf("the path became %s", path)
	}
	if r.URL.RawQuery != "" && in != "query" || r.URL.Fragment != "" {
		t.Errorf("the query became %q", r.URL.RawQuery)
	}
	if r.Host != "server.test" || r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		t.Errorf("host %q, length %d, %q", r.Host, r.ContentLength, r.TransferEncoding)
	}
	for name := range r.Header {
		expected := name == "User-Agent" || name == "V" && in == "header" || name == "Cookie" && in == "cookie"
		if !expected {
			t.Errorf("a header field %s: %q", name, r.Header[name])
		}
	}
}
