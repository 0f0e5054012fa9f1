package arazzo

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestInputSchemaIsFoundUnderItsPointer(t *testing.T) {
	d := parseFixture(t, "orders-1.1.yaml")
	root, pointer := d.InputSchema(d.Workflow("placeOrder"))
	at, err := value.ParsePointer(pointer)
	if err != nil {
		t.Fatal(err)
	}
	if got := at.In(root).String(); got != `{"$ref":"#/components/inputs/order"}` {
		t.Errorf("the schema at %s is %s", pointer, got)
	}
	if got := (value.Pointer{"components", "inputs", "order", "required", "0"}).In(root).Text(); got != "orderId" {
		t.Errorf("the reference leads to %q", got)
	}
	root, _ = d.InputSchema(d.Workflow("refund"))
	if (value.Pointer{"$defs", "hasId"}).In(root).IsAbsent() {
		t.Error("the schema's own $defs are not at the root")
	}
	if root, _ := d.InputSchema(&Workflow{}); !root.IsAbsent() {
		t.Error("a workflow without inputs has a schema")
	}
}

func TestNamesOfADocument(t *testing.T) {
	d := parseFixture(t, "orders-1.1.yaml")
	n := d.Names(d.Workflow("placeOrder"))
	for what, c := range map[string][2]string{
		"inputs through $ref":      {strings.Join(n.Inputs, " "), "orderId price"},
		"inputs through allOf":     {strings.Join(n.WorkflowInputs["refund"], " "), "id reason"},
		"outputs and those called": {strings.Join(n.Outputs, " "), "id receipt"},
		"steps":                    {strings.Join(n.Steps, " "), "create await check pay"},
		"outputs of a step":        {strings.Join(n.StepOutputs["create"], " "), "id first"},
		"workflows":                {strings.Join(n.Workflows, " "), "placeOrder refund"},
		"outputs of a workflow":    {strings.Join(n.WorkflowOutputs["refund"], " "), "receipt"},
		"sources":                  {strings.Join(n.Sources, " "), "shop events login_flows"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: got %q, want %q", what, c[0], c[1])
		}
	}
}

func TestInputNamesOfACircularSchema(t *testing.T) {
	d, _ := Parse("x.yaml", []byte(strings.Replace(step("1.1.0"), "outputs: {}",
		"inputs: {properties: {a: {}}, allOf: [{$ref: '#/workflows/0/inputs'}, {$ref: '#/%24defs/x%'}, {$ref: 'y.json#/a'}, {$ref: '#/nowhere'}, {$ref: '#a'}, true]}", 1)))
	if got := d.Names(d.Workflow("w")).Inputs; len(got) != 1 || got[0] != "a" {
		t.Errorf("got %v", got)
	}
}

func TestAReferenceToAnAnchorLeadsToItsSchema(t *testing.T) {
	d, faults := Parse("flow.yaml", []byte(`arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: shop, url: shop.yaml}]
components: {inputs: {shared: {properties: {a: {$anchor: far, type: boolean}}}, other: {$anchor: near, type: string}}}
workflows:
- workflowId: w
  inputs: {$defs: {x: {$anchor: near, type: integer, properties: {deep: {}}}}, allOf: [{$ref: '#near'}]}
  steps: [{stepId: one, operationId: o}]
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	w := d.Workflows[0]
	for ref, want := range map[string]string{"#near": "integer", "#far": "boolean", "#none": "", "#": "-", "#/components/inputs/other": "string"} {
		node := d.SchemaReference(w, ref)
		switch kind := node.Get("type"); {
		case ref == "#":
			if node != d.Node {
				t.Error("# is not the document")
			}
		case want == "" && node != nil, want != "" && (kind == nil || kind.Text != want):
			t.Errorf("%s leads to %v, want %q", ref, node, want)
		}
	}
	if got := d.Names(w).Inputs; len(got) != 1 || got[0] != "deep" {
		t.Errorf("the inputs are %q", got)
	}
}

func TestCallbacks(t *testing.T) {
	doc, faults := Parse("flow.yaml", []byte(`arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: shop, url: shop.yaml}]
components: {inputs: {shared: {properties: {b: {x-weft-callback: two}}}}}
workflows:
- workflowId: w
  inputs:
    properties: {a: {type: string, x-weft-callback: one}, plain: {type: string}}
    allOf: [{$ref: '#/components/inputs/shared'}, {if: {properties: {c: {x-weft-callback: [3]}}}}]
  steps: [{stepId: one, operationId: o}]
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got := ""
	for _, c := range doc.Callbacks(doc.Workflows[0]) {
		got += c.Input + "=" + c.Step.Text + " "
	}
	if got != "a=one b=two c= " {
		t.Errorf("callbacks %q", got)
	}
}
