package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// faultCases are files with something wrong, and all that is told of it. The schema
// must refuse them too, unless only the reader can know.
var faultCases = map[string]struct {
	text   string
	faults []string // line:column: message
	// readerOnly: a schema cannot say it.
	readerOnly bool
}{
	"an unknown section": {
		text:   "soruces:\n  a: {}\n",
		faults: []string{`1:1: the file has no key "soruces"; did you mean sources? (known: $schema, lint, run, serve, sources)`},
	},
	"a token without a right": {
		text:   "serve: {tokens: [{name: a, token: 0123456789abcdef}]}\n",
		faults: []string{`1:18: a token needs the key rights`},
	},
	"a right that there is not": {
		text:   "serve: {tokens: [{name: a, token: 0123456789abcdef, rights: [strat]}]}\n",
		faults: []string{`1:62: expected start, read, act, deliver or operate, this is "strat"; did you mean start?`},
	},
	"a token that could be guessed": {
		text:   "serve: {tokens: [{name: a, token: secret, rights: [read]}]}\n",
		faults: []string{`1:35: a token has at least 16 characters`},
	},
	"two tokens of one name, and one secret": {
		text: "serve: {tokens: [{name: a, token: 0123456789abcdef, rights: [read]}, {name: a, token: 0123456789abcdef, rights: [read]}]}\n",
		faults: []string{
			`1:77: there is a token "a" already`,
			`1:87: another entry has the same token`,
		},
		readerOnly: true,
	},
	"no tokens": {
		text:   "serve: {tokens: []}\n",
		faults: []string{`1:17: expected at least one of tokens: leave the key out for none`},
	},
	"a variable that is a number": {
		text:   "sources:\n  a:\n    variables: {port: 8443}\n",
		faults: []string{`3:23: expected a string, this is a number without quotes`},
	},
	"an unknown key of a source": {
		text:   "sources:\n  a:\n    servr: http://localhost\n",
		faults: []string{`3:5: sources.a has no key "servr"; did you mean server? (known: auth, ca, clientCertificate, effects, headers, idempotency, proxy, server, variables, webhooks)`},
	},
	"a status for conflicts that makes senders send again": {
		text:   "sources: {a: {webhooks: {conflictStatus: 500}}}\n",
		faults: []string{`1:42: expected 409, the only status that can be asked for, this is a number without quotes`},
	},
	"no secrets": {
		text:   "sources: {a: {webhooks: {secrets: []}}}\n",
		faults: []string{`1:35: expected at least one of secrets: leave the key out for none`},
	},
	"a key near to none": {
		text:   "run:\n  colour: blue\n",
		faults: []string{`2:3: run has no key "colour" (known: callbackUrl, contract, failOn, jitter, linger, listen, maxBody, maxSteps, server, stepTimeout, tenant, timeout, unsafeRetry)`},
	},
	"a key in the wrong case": {
		text:   "run: {MaxSteps: 5}\n",
		faults: []string{`1:7: run has no key "MaxSteps"; did you mean maxSteps? (known: callbackUrl, contract, failOn, jitter, linger, listen, maxBody, maxSteps, server, stepTimeout, tenant, timeout, unsafeRetry)`},
	},
	"a key twice": {
		text:       "run:\n  tenant: a\n  tenant: b\n",
		faults:     []string{`3:3: the key "tenant" is already in line 2 of this mapping`},
		readerOnly: true,
	},
	"no YAML": {
		text:       "run: [\n",
		faults:     []string{`1:6: this is no valid YAML: a value was expected here`},
		readerOnly: true,
	},
	"not a mapping": {
		text:   "- run\n",
		faults: []string{`1:1: the file must be a mapping, this is a list`},
	},
	"sections of the wrong kind": {
		text: "sources: [a]\nrun: 5\nlint: no\n",
		faults: []string{
			`1:10: sources must be a mapping, this is a list`,
			`2:6: run must be a mapping, this is a number without quotes`,
			`3:7: lint must be a mapping, this is a string`,
		},
	},
	"a source without a name": {
		text:   "sources:\n  \"\": {}\n",
		faults: []string{`2:3: a key of sources must not be empty`},
	},
	"servers that are none": {
		text: "run: {server: localhost}\nsources:\n  a: {server: ftp://a.example}\n  b: {server: 'https://'}\n  c: {server: 'http://u:p@c.example'}\n  d: {server: 'http://d.example/?x=1'}\n  e: {server: 'http://e.example/#f'}\n  f: {server: 8080}\n  g: {server: }\n  h: {server: ''}\n",
		faults: []string{
			`1:15: expected an absolute http or https URL, such as https://api.example.com`,
			`3:15: expected an absolute http or https URL, such as https://api.example.com`,
			`4:15: expected an absolute http or https URL, such as https://api.example.com`,
			`5:15: a server's URL must hold no user or password: they belong under auth`,
			`6:15: a server's URL must have no query`,
			`7:15: a URL must have no fragment here`,
			`8:15: expected a string, this is a number without quotes`,
			`9:14: expected a string, this is empty`,
			`10:15: must not be empty`,
		},
	},
	"credentials of no kind": {
		text: "sources:\n  a:\n    auth:\n      one: {}\n      two:\n      three: s3cret\n      four: {apikey: s3cret}\n",
		faults: []string{
			`4:12: sources.a.auth.one needs one of apiKey, basic, bearer and oauth2; there are 0`,
			`5:11: sources.a.auth.two needs one of apiKey, basic, bearer and oauth2; there are 0`,
			`6:14: sources.a.auth.three must be a mapping, this is a string`,
			`7:14: sources.a.auth.four has no key "apikey"; did you mean apiKey? (known: apiKey, basic, bearer, oauth2)`,
		},
	},
	"credentials of two kinds": {
		text:   "sources: {a: {auth: {s: {apiKey: s3cret, bearer: s3cret}}}}\n",
		faults: []string{`1:25: sources.a.auth.s needs one of apiKey, basic, bearer and oauth2; there are 2`},
	},
	"credentials that YAML reads as something else": {
		text: "sources: {a: {auth: {s: {apiKey: 123456}, t: {bearer: true}, u: {basic: {username: a, password: 1234}}}}}\n",
		faults: []string{
			`1:34: expected a string, this is a number without quotes`,
			`1:55: expected a string, this is true or false without quotes`,
			`1:97: expected a string, this is a number without quotes`,
		},
	},
	"basic without its parts": {
		text: "sources:\n  a:\n    auth:\n      s: {basic: {username: 'a:b'}}\n      t: {basic: }\n",
		faults: []string{
			`4:18: sources.a.auth.s.basic needs the key password`,
			`4:29: a user name must not contain a colon (RFC 7617)`,
			`5:17: sources.a.auth.t.basic needs the key username`,
			`5:17: sources.a.auth.t.basic needs the key password`,
		},
	},
	"oauth2 without its parts": {
		text: "sources:\n  a:\n    auth:\n      s: {oauth2: {}}\n      t: {oauth2: {grant: password, tokenUrl: 'https://t.example', clientId: c}}\n",
		faults: []string{
			`4:19: sources.a.auth.s.oauth2 needs the key clientId for the grant clientCredentials`,
			`5:19: sources.a.auth.t.oauth2 needs the key username for the grant password`,
			`5:19: sources.a.auth.t.oauth2 needs the key password for the grant password`,
		},
	},
	"oauth2 with what its grant has no use for": {
		text: "sources:\n  a:\n    auth:\n      s:\n        oauth2:\n          tokenUrl: https://t.example\n          clientId: c\n          clientSecret: x\n          username: u\n          scopes: read write\n          audience: {}\n",
		faults: []string{
			`9:11: the grant clientCredentials has no username`,
			`10:19: expected a list of scopes, this is a string`,
			`11:21: expected a string, this is a mapping`,
		},
	},
	"oauth2 with wrong values": {
		text: "sources:\n  a:\n    auth:\n      s:\n        oauth2:\n          grant: client_credentials\n          tokenUrl: /token\n          clientId: c\n          clientSecret: x\n          scopes: [read write, 5]\n",
		faults: []string{
			`6:18: expected clientCredentials or password, this is "client_credentials"; did you mean clientCredentials?`,
			`7:21: expected an absolute http or https URL, such as https://api.example.com`,
			`10:20: a scope holds no spaces or quotes: write one a line`,
			`10:32: expected a string, this is a number without quotes`,
		},
	},
	"a token URL with a password": {
		text:       "sources: {a: {auth: {s: {oauth2: {tokenUrl: 'https://c:s3cret@t.example', clientId: c, clientSecret: x}}}}}\n",
		faults:     []string{`1:45: a token URL must hold no user or password: they are clientId and clientSecret`},
		readerOnly: true,
	},
	"headers that are none": {
		text: "sources:\n  a:\n    headers:\n      X Team: a\n      X-Team: 5\n      \"\": a\n",
		faults: []string{
			`4:7: "X Team" is not the name of a header field`,
			`5:15: expected a string, this is a number without quotes`,
			`6:7: a key of sources.a.headers must not be empty`,
		},
	},
	"header values and names that only the reader refuses": {
		text: "sources:\n  a:\n    headers:\n      X-Team: \"a\\r\\nHost: b\"\n      X-Pad: ' a'\n      x-team: c\n",
		faults: []string{
			`4:15: the value of a header must be one line without control characters, and without spaces around it`,
			`5:14: the value of a header must be one line without control characters, and without spaces around it`,
			`6:7: the header x-team is there already: upper and lower case are the same`,
		},
		readerOnly: true,
	},
	"certificates": {
		text: "sources:\n  a:\n    ca: [a.pem]\n    clientCertificate: {cert: a.pem}\n  b:\n    clientCertificate: a.pem\n",
		faults: []string{
			`3:9: expected a string, this is a list`,
			`4:24: sources.a.clientCertificate needs the key key`,
			`6:24: sources.b.clientCertificate must be a mapping, this is a string`,
		},
	},
	"proxies": {
		text: "sources:\n  a: {proxy: proxy.example:3128}\n  b: {proxy: no}\n  c: {proxy: 'socks5://p.example'}\n  d: {proxy: false}\n",
		faults: []string{
			`2:14: expected the http or https URL of a proxy, or none`,
			`3:14: expected the http or https URL of a proxy, or none`,
			`4:14: expected the http or https URL of a proxy, or none`,
			`5:14: expected a string, this is true or false without quotes`,
		},
	},
	"a profile with wrong values": {
		text: "sources:\n  a:\n    idempotency:\n      header: Idem Key\n      format: quoted\n      maxLength: 0\n      retention: 1 day\n      kept: everything\n      methods: [post, 5]\n      statuses: {409: success, 99: rejected, ok: succeeded}\n      inFlight: 4090\n      settleAfter: 30\n",
		faults: []string{
			`4:15: "Idem Key" is not the name of a header field`,
			`5:15: expected raw, sf-string or uuid, this is "quoted"`,
			`6:18: expected a whole number from 1 on, this is 0`,
			`7:18: expected a duration with its unit, such as 800ms, 30s or 1h, this is "1 day"`,
			`8:13: expected all, success or state, this is "everything"`,
			`9:17: expected an HTTP method in upper case, such as POST, this is "post"`,
			`9:23: expected a string, this is a number without quotes`,
			`10:23: expected not_processed, rejected, deferred, succeeded or unknown, this is "success"`,
			`10:32: expected an HTTP status from 100 to 599, this is "99"`,
			`10:46: expected an HTTP status from 100 to 599, this is "ok"`,
			`11:17: expected an HTTP status from 100 to 599, this is "4090"`,
			`12:20: expected a duration with its unit, such as 800ms, 30s or 1h, this is a number without quotes`,
		},
	},
	"a dialect that is not known": {
		text:   "sources: {a: {idempotency: {dialect: strip}}}\n",
		faults: []string{`1:38: expected idempotency-key, httpapi-draft, stripe, adyen, increase, gocardless, toss-payments, paypal, checkout.com, open-banking, worldline or repeatability, this is "strip"; did you mean stripe?`},
	},
	"a dialect and a header": {
		text:   "sources: {a: {idempotency: {dialect: stripe, header: X-Key}}}\n",
		faults: []string{`1:54: sources.a.idempotency has a dialect, which says the header: give one of the two`},
	},
	"a profile about a key that nothing names": {
		text: "sources: {a: {idempotency: {retention: 24h, methods: [POST], settleAfter: 1s}}}\n",
		faults: []string{
			`1:29: retention is about a key: sources.a.idempotency needs a dialect or a header too`,
			`1:45: methods is about a key: sources.a.idempotency needs a dialect or a header too`,
		},
	},
	"no methods": {
		text:   "sources: {a: {idempotency: {dialect: stripe, methods: []}}}\n",
		faults: []string{`1:55: expected at least one of methods: leave the key out for none`},
	},
	"effects": {
		text: "sources: {a: {effects: {search: reads, pay: [effect]}}}\n",
		faults: []string{
			`1:33: expected read, idempotent or effect, this is "reads"; did you mean read?`,
			`1:45: expected read, idempotent or effect, this is a list`,
		},
	},
	"settings of runs": {
		text: "run:\n  stepTimeout: 30\n  timeout: 0s\n  maxSteps: 1.5\n  jitter: -1s\n  maxBody: lots\n  contract: of\n  unsafeRetry: true\n  failOn: unknown\n  tenant: 7\n",
		faults: []string{
			`2:16: expected a duration with its unit, such as 800ms, 30s or 1h, this is a number without quotes`,
			`3:12: must be longer than nothing`,
			`4:13: expected a whole number from 1 on, this is 1.5`,
			`5:11: must not be negative`,
			`6:12: expected a size such as 512KiB or 10MiB, this is "lots"`,
			`7:13: expected error, warn or off, this is "of"`,
			`8:16: expected deny or allow, this is true or false without quotes`,
			`9:11: expected failed or recovered, this is "unknown"`,
			`10:11: expected a string, this is a number without quotes`,
		},
	},
	"counts and sizes that are too large or small": {
		text: "run: {maxSteps: 99999999999, maxBody: 0}\nsources: {a: {idempotency: {header: X-Key, maxLength: many, inFlight: '409'}}}\n",
		faults: []string{
			`1:17: expected a whole number from 1 on, this is 99999999999`,
			`1:39: expected a size such as 512KiB or 10MiB, this is "0"`,
			`2:55: expected a whole number from 1 on, this is a string`,
			`2:71: expected an HTTP status, this is a string`,
		},
	},
	"settings of the linter": {
		text: "lint:\n  extends: all\n  rules:\n    retry-safe: fatal\n    poll-bounded: 3\n    retry-bounded: {severity: warning, limit: 5}\n  ignore:\n    - drafts/*\n    - {rules: [x]}\n    - {path: a, rules: []}\n",
		faults: []string{
			`2:12: expected recommended, strict or minimal, this is "all"`,
			`4:17: expected error, warn, hint or off, this is "fatal"`,
			`5:19: expected a severity, or a mapping of severity and options, this is a number without quotes`,
			`6:31: expected error, warn, hint or off, this is "warning"; did you mean warn?`,
			`8:7: an entry of lint.ignore must be a mapping, this is a string`,
			`9:7: an entry of lint.ignore needs the key path`,
			`10:24: expected at least one of rules: leave the key out for none`,
		},
	},
	"variables that are not set": {
		text: "sources:\n  a:\n    server: ${ENV:WEFT_TEST_UNSET}\n    auth:\n      s: {bearer: 'x${ENV:WEFT_TEST_UNSET}y'}\n    headers: {X-A: '${ENV:}', X-B: '${ENV:WEFT'}\nlint:\n  rules:\n    a: {words: [b, '${ENV:WEFT_TEST_UNSET}']}\n",
		faults: []string{
			`3:13: the environment variable WEFT_TEST_UNSET is not set`,
			`5:19: the environment variable WEFT_TEST_UNSET is not set`,
			`6:20: ${ENV:} names no variable`,
			`6:36: ${ENV: has no closing }`,
			`9:16: the environment variable WEFT_TEST_UNSET is not set`,
		},
		readerOnly: true,
	},
	"a variable where the values are listed": {
		text:   "run: {contract: '${ENV:WEFT_TEST_WORD}'}\n",
		faults: []string{`1:17: expected error, warn or off, this is "${ENV:WEFT_TEST_WORD}"`},
	},
	"variables that hold what does not fit": {
		text: "run: {timeout: '${ENV:WEFT_TEST_WORD}', maxBody: '${ENV:WEFT_TEST_WORD}', server: '${ENV:WEFT_TEST_WORD}', tenant: '${ENV:WEFT_TEST_EMPTY}'}\n",
		faults: []string{
			`1:16: expected a duration with its unit, such as 800ms, 30s or 1h, this is "${ENV:WEFT_TEST_WORD}"`,
			`1:50: expected a size such as 512KiB or 10MiB, this is "${ENV:WEFT_TEST_WORD}"`,
			`1:83: expected an absolute http or https URL, such as https://api.example.com`,
			`1:116: must not be empty`,
		},
		readerOnly: true,
	},
}

// setVariables sets what the files of tests refer to.
func setVariables(t *testing.T) {
	t.Helper()
	t.Setenv("WEFT_TEST_WORD", "s3cret")
	t.Setenv("WEFT_TEST_EMPTY", "")
}

func TestFaults(t *testing.T) {
	for name, test := range faultCases {
		t.Run(name, func(t *testing.T) {
			setVariables(t)
			_, faults := parse("weft.yaml", []byte(test.text))
			var got []string
			for _, f := range faults {
				got = append(got, strings.TrimPrefix(f.Error(), "weft.yaml:"))
			}
			if !slices.Equal(got, test.faults) {
				t.Errorf("got:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.faults, "\n\t"))
			}
		})
	}
}

// A message may stand in a log of a build server: what may be a secret is not in it.
func TestFaultsHoldNoSecret(t *testing.T) {
	for name, test := range faultCases {
		for _, f := range test.faults {
			if strings.Contains(f, "s3cret") {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}

func TestAFileThatSaysNothing(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "comments": "# run:\n\n  #  timeout: 1m\n", "empty sections": "sources:\nrun:\nlint:\n",
		"empty below": "sources:\n  a:\n  b:\n    auth:\n    headers:\n    effects:\n    idempotency:\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, faults := parse("weft.yaml", []byte(text))
			if len(faults) > 0 || c == nil || c.Run != (Run{}) || len(c.Secrets) > 0 {
				t.Errorf("%+v, %v", c, faults)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weft.yaml")
	if err := os.WriteFile(path, []byte("run: {tenant: a, jitter: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, faults, err := Load(path)
	if err != nil || len(faults) != 1 || c.Run.Tenant.Value != "a" || c.Path != path {
		t.Fatalf("%+v, %v, %v", c, faults, err)
	}
	if want := path + ":1:26: "; !strings.HasPrefix(faults[0].Error(), want) {
		t.Errorf("%s does not begin with %s", faults[0].Error(), want)
	}
	if _, _, err := Load(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range faultCases {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, faults := parse("weft.yaml", data)
		if c == nil {
			t.Fatal("there is no Config")
		}
		for _, fault := range faults {
			if fault.Place.Line < 1 || fault.Place.Column < 1 || fault.Message == "" {
				t.Errorf("%+v", fault)
			}
		}
	})
}
