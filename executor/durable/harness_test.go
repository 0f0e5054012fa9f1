package durable

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// databases gives the URLs of databases without runs, by name: SQLite always, PostgreSQL
// where WEFT_TEST_POSTGRES names a server.
func databases(t *testing.T) map[string]string {
	t.Helper()
	urls := map[string]string{"sqlite": readyFile(t)}
	if os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Log("PostgreSQL is left out: WEFT_TEST_POSTGRES is not set")
		return urls
	}
	urls["postgres"] = readyPostgres(t)
	return urls
}

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) { test(t, url) })
	}
}

// quick is a lease for tests: a process that is gone is seen at once, and one that is
// only slow is not counted as lost.
func quick() Lease {
	return Lease{Beat: 100 * time.Millisecond, Send: 20 * time.Second, Takeover: 40 * time.Second}
}

// hasty is a lease for tests in which nodes are to be counted as lost.
func hasty() Lease {
	return Lease{Beat: 100 * time.Millisecond, Send: time.Second, Takeover: 2 * time.Second}
}

func quickOptions(t testing.TB) Options {
	o := Options{Poll: 20 * time.Millisecond, Lease: quick()}
	if testing.Verbose() {
		o.Logger = slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return o
}

type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	fmt.Fprint(os.Stderr, l.t.Name(), ": ", string(line))
	return len(line), nil
}

// openStore opens a store that is closed with the test.
func openStore(t testing.TB, url string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}

// driving opens a store that drives.
func driving(t testing.TB, url string) *Store {
	t.Helper()
	s := openStore(t, url, quickOptions(t))
	if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

const shopAPI = `
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /orders:
    post:
      operationId: createOrder
      parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object, properties: {id: {type: string}, ref: {type: string}}}}}}}
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
  /payments:
    post:
      operationId: pay
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"201": {description: created, content: {application/json: {schema: {type: object}}}}}
  /closings:
    post:
      operationId: closeOrder
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses: {"201": {description: closed, content: {application/json: {schema: {type: object}}}}}
`

// keyedFlow makes an order, waits a little, and closes it: each under a key.
const keyedFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string, default: r-1}, pin: {type: string, format: password}}}
  x-weft-states: {initial: NEW, terminal: [DONE], transitions: {NEW: [OPEN], OPEN: [DONE]}}
  steps:
  - stepId: order
    operationId: createOrder
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    successCriteria: [{condition: $statusCode == 201}]
    onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 3}]
    outputs: {id: $response.body#/id}
    x-weft-state: OPEN
  - stepId: close
    operationId: closeOrder
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref, order: $steps.order.outputs.id}}
    successCriteria: [{condition: $statusCode == 201}]
    onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 3}]
    x-weft-state: DONE
  - {stepId: look, operationId: getOrder, parameters: [{name: id, in: path, value: $steps.order.outputs.id}]}
  outputs: {id: $steps.order.outputs.id}
`

// flowBundle writes a document beside the API and reads it as a bundle.
func flowBundle(t testing.TB, flow string) *Bundle {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop.yaml": shopAPI + paidWebhook,
		"flow.yaml": "arazzo: 1.1.0\ninfo: {title: t, version: \"1\"}\nsourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}]\n" + flow,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Load(t.Context(), filepath.Join(dir, "flow.yaml"), source.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// playShop plays the API of a bundle, and gives where.
func playShop(t testing.TB, b *Bundle) (*mock.Server, map[string]string) {
	t.Helper()
	set, err := b.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sources := mock.Sources(set)
	server := mock.New(sources, mock.Options{})
	base, stop, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	servers := map[string]string{}
	for _, src := range sources {
		servers[src.Name] = base + "/" + src.Name
	}
	return server, servers
}

func inputs(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// effects lists the effects on a server: operation, and how often.
func effects(server *mock.Server) map[string]int {
	counts := map[string]int{}
	for _, e := range server.Effects() {
		counts[e.Operation] += e.Count
	}
	return counts
}

type eventList struct{ events []executor.Event }

func (l *eventList) Write(e executor.Event) error {
	l.events = append(l.events, e)
	return nil
}

// findEverywhere looks for a text in all tables of a database, also where it stands as
// base64, and gives where it is.
func findEverywhere(t testing.TB, s *Store, text string) map[string]string {
	t.Helper()
	tables := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if s.db.lite == nil {
		tables = "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname IN ('public', 'dbos')"
	}
	var names []string
	err := s.db.each(t.Context(), tables, nil, func(r row) error {
		names = append(names, "")
		return r.Scan(&names[len(names)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range names {
		for _, line := range rowsOf(t, s, name) {
			if strings.Contains(line, text) {
				found[name] = line
			}
		}
	}
	return found
}

// rowsOf gives the rows of a table as text, bytes as they are.
func rowsOf(t testing.TB, s *Store, table string) (lines []string) {
	t.Helper()
	add := func(values []any) {
		var line strings.Builder
		for _, v := range values {
			switch v := v.(type) {
			case []byte:
				line.Write(v)
			default:
				fmt.Fprint(&line, v)
			}
			line.WriteByte(' ')
		}
		text := line.String()
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \"=*,:{}", r) }) {
			if plain, err := base64.RawStdEncoding.DecodeString(word); err == nil && len(word) > 8 {
				text += string(plain) + " "
			}
		}
		lines = append(lines, text)
	}
	if s.db.lite == nil {
		rows, err := s.db.pool.Query(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				t.Fatal(err)
			}
			add(values)
		}
		return lines
	}
	rows, err := s.db.lite.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		add(values)
	}
	return lines
}
