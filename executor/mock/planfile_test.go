package mock_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

const wholePlan = `
$schema: faults.schema.json
seed: 7
faults:
  - operation: createOrder
    fault: reset-after-effect
  - {operation: requestPayment, occurrence: [2, 5], fault: 503-seconds, delay: 2s}
  - {operation: orders/getOrder, occurrence: 3, fault: 503-before-effect, retryAfter: soon}
  - {operation: getPaymentByReference, fault: read-conflicting, times: 3, value: FAILED}
`

func TestReadAPlan(t *testing.T) {
	got, faults := mock.ParseFaults("plan.yaml", []byte(wholePlan))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := []mock.Fault{
		{Operation: "createOrder", Kind: mock.ResetAfterEffect, Place: "plan.yaml:5:5"},
		{Operation: "requestPayment", Occurrence: 2, Upto: 5, Kind: mock.UnavailableSeconds, Delay: 2 * time.Second, Place: "plan.yaml:7:5"},
		{Operation: "orders/getOrder", Occurrence: 3, Kind: mock.UnavailableBeforeEffect, RetryAfter: "soon", Place: "plan.yaml:8:5"},
		{Operation: "getPaymentByReference", Kind: mock.ReadConflicting, Times: 3, Value: "FAILED", Place: "plan.yaml:9:5"},
	}
	if got.Seed != 7 || len(got.Faults) != len(want) {
		t.Fatalf("read %+v", got)
	}
	for i, f := range got.Faults {
		if f.String() != want[i].String() || f.Place != want[i].Place || f.Upto != want[i].Upto || f.Delay != want[i].Delay ||
			f.RetryAfter != want[i].RetryAfter || f.Times != want[i].Times || f.Value != want[i].Value {
			t.Errorf("fault %d: %+v, expected %+v", i+1, f, want[i])
		}
	}
	if err := mock.New(orderFlow(t), mock.Options{}).Apply(got); err != nil {
		t.Error(err)
	}
}

// brokenPlans are plans whose form is wrong, with what is said of them.
var brokenPlans = map[string]string{
	"faults: {}":                           "plan.yaml:1:9: faults must be a list",
	"[]":                                   "plan.yaml:1:1: a fault plan must be a mapping",
	"seed: 1":                              "plan.yaml:1:1: a fault plan needs the key faults",
	"seed: -1\nfaults: []":                 "1:7: expected a whole number from 0 on, this is -1",
	"seed: 1.5\nfaults: []":                "this is 1.5",
	"faluts: []":                           `has no key "faluts"; did you mean faults?`,
	"faults: [x]":                          "1:10: a fault must be a mapping",
	"faults: [{fault: 408-before-effect}]": "a fault needs the key operation",
	"faults: [{operation: a}]":             "a fault needs the key fault",
	"faults: [{operation: a, fault: hang-after-efect}]":                             `1:32: there is no fault "hang-after-efect"; did you mean hang-after-effect?`,
	"faults: [{operation: a, fault: 408-before-effect, ocurrence: 1}]":              `1:51: a fault has no key "ocurrence"; did you mean occurrence?`,
	"faults: [{operation: a, fault: 408-before-effect, occurrence: 0}]":             "1:63: expected a whole number from 1 on, this is 0",
	"faults: [{operation: a, fault: 408-before-effect, occurrence: first}]":         `this is "first"`,
	"faults: [{operation: a, fault: 408-before-effect, occurrence: [1]}]":           "the first and the last",
	"faults: [{operation: a, fault: 408-before-effect, delay: 2s}]":                 "1:58: 408-before-effect takes no delay",
	"faults: [{operation: a, fault: read-stale, value: X}]":                         "read-stale takes no value; it takes times",
	"faults: [{operation: a, fault: slow-body, delay: 2}]":                          "expected a duration such as 800ms",
	"faults: [{operation: a, fault: 503-after-effect, retryAfter: 3}]":              "expected a string",
	"faults: [{operation: a, fault: read-stale, times: 0}]":                         "from 1 on",
	"faults: [{operation: '', fault: read-stale}]":                                  "must not be empty",
	"faults: [{operation: a, fault: 408-before-effect, occurrence: 5000000000000}]": "this is 5000000000000",
}

// brokenSense are plans that only the reader refuses: a schema cannot say it.
var brokenSense = map[string]string{
	"faults: [{operation: a, fault: 408-before-effect, occurrence: [3, 2]}]":      "from occurrence 3 to 2 there is none",
	"faults: [{operation: a, fault: slow-body, delay: 25h}]":                      "it may be up to 24h",
	"faults: [{operation: a, fault: 503-after-effect, retryAfter: \"a\\r\\nb\"}]": "no line breaks",
	"faults: [":              "plan.yaml:",
	"faults: []\nfaults: []": "plan.yaml:2:1",
}

func TestPlansWhoseFormIsWrong(t *testing.T) {
	for _, plans := range []map[string]string{brokenPlans, brokenSense} {
		for text, says := range plans {
			_, faults := mock.ParseFaults("plan.yaml", []byte(text))
			if !slices.ContainsFunc(faults, func(f mock.PlanError) bool { return strings.Contains(f.Error(), says) }) {
				t.Errorf("%s: %v, expected %q", text, faults, says)
			}
		}
	}
}

func docs(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func planSchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.CompileBytes("faults.schema.json", []byte(docs(t, "faults.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaFaults(t *testing.T, s *schema.Schema, text string) []schema.Fault {
	t.Helper()
	tree, _ := arazzo.ParseTree([]byte(text))
	if tree == nil {
		t.Fatalf("no tree: %s", text)
	}
	return s.Validate(tree.Value())
}

func TestTheSchemaSaysWhatTheReaderSays(t *testing.T) {
	s := planSchema(t)
	for _, text := range []string{wholePlan, example(t)} {
		for _, f := range schemaFaults(t, s, text) {
			t.Errorf("%s: %s", f.Pointer, f.Message)
		}
	}
	for text := range brokenPlans {
		if len(schemaFaults(t, s, text)) == 0 {
			t.Errorf("the schema takes %s", text)
		}
	}
	for _, kind := range mock.FaultKinds() {
		for _, param := range []string{"", "delay: 2s", "retryAfter: a", "times: 2", "value: A", "count: 3"} {
			text := "faults: [{operation: a, fault: " + string(kind) + ", " + param + "}]"
			_, faults := mock.ParseFaults("plan.yaml", []byte(text))
			if byReader, bySchema := len(faults) == 0, len(schemaFaults(t, s, text)) == 0; byReader != bySchema {
				t.Errorf("%s: the reader takes it: %v, the schema: %v", text, byReader, bySchema)
			}
		}
	}
}

func TestTheSchemaListsTheKinds(t *testing.T) {
	root, err := value.ParseJSON([]byte(docs(t, "faults.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	var listed []mock.FaultKind
	for _, item := range (value.Pointer{"$defs", "fault", "properties", "fault", "enum"}).In(root).Items() {
		listed = append(listed, mock.FaultKind(item.Text()))
	}
	if !slices.Equal(listed, mock.FaultKinds()) {
		t.Errorf("the schema lists %v", listed)
	}
}

// example gives the plan that docs/faults.md shows.
func example(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(docs(t, "faults.md"))
	if m == nil {
		t.Fatal("docs/faults.md shows no plan")
	}
	return m[1]
}

func TestThePageTellsOfEachFault(t *testing.T) {
	page := docs(t, "faults.md")
	for _, kind := range mock.FaultKinds() {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + string(kind) + "`").MatchString(page) {
			t.Errorf("docs/faults.md has no row for %s", kind)
		}
	}
	for _, name := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(page, -1) {
		for _, part := range strings.Split(name[1], ", ") {
			word := strings.Trim(part, "`")
			known := slices.Contains(mock.FaultKinds(), mock.FaultKind(word)) || strings.Contains(docs(t, "faults.schema.json"), `"`+word+`"`)
			if !known && !strings.ContainsAny(word, " /.") {
				t.Errorf("docs/faults.md tells of %s, which is no fault", word)
			}
		}
	}
	plan, faults := mock.ParseFaults("example.yaml", []byte(example(t)))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if err := mock.New(orderFlow(t), mock.Options{}).Apply(plan); err != nil {
		t.Error(err)
	}
}

func TestLoadFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.yaml")
	if _, _, err := mock.LoadFaults(file); err == nil || !strings.Contains(err.Error(), "read the fault plan") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(file, []byte(wholePlan), 0o600); err != nil {
		t.Fatal(err)
	}
	if plan, faults, err := mock.LoadFaults(file); err != nil || len(faults) > 0 || len(plan.Faults) != 4 {
		t.Errorf("%+v, %v, %v", plan, faults, err)
	}
}

// FuzzParseFaults reads what nobody would write: it must say so, and nothing else.
func FuzzParseFaults(f *testing.F) {
	f.Add(wholePlan)
	for text := range brokenPlans {
		f.Add(text)
	}
	sources := orderFlow(f)
	f.Fuzz(func(_ *testing.T, text string) {
		plan, faults := mock.ParseFaults("plan.yaml", []byte(text))
		if len(faults) == 0 {
			_ = mock.New(sources, mock.Options{}).Apply(plan) // an error says what does not fit
		}
	})
}
