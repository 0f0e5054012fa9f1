package lint

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const thingsAPI = `openapi: 3.1.0
info: {title: Things, version: 1.0.0}
paths:
  /things:
    get:
      operationId: list
      responses:
        '200':
          description: d
          content: {application/json: {schema: {type: object, properties: {count: {type: integer}, all: {type: array, items: {type: object, properties: {id: {type: string}}}}}}}}
        '206': {description: d, content: {application/json: {schema: {type: object, properties: {count: {type: string}}}}}}
        '4XX': {description: d, content: {application/json: {schema: {type: object, properties: {count: {type: boolean}}}}}}
        default: {description: d}
`

const thingsFlow = `arazzo: 1.1.0
info: {title: Things, version: 1.0.0}
sourceDescriptions: [{name: things, url: things.yaml, type: openapi}]
workflows:
  - workflowId: main
    inputs: {type: object, properties: {size: {$ref: '#/components/inputs/size'}, box: {type: object, properties: {lid: {type: boolean}}}}}
    steps:
      - stepId: list
        operationId: list
        successCriteria: [{condition: $statusCode == 200}]
        outputs: {count: $response.body#/count, all: $response.body, first: $response.body#/all/0/id, etag: $response.header.ETag}
      - stepId: any
        operationId: list
        outputs: {count: $response.body#/count, none: $response.body#/other}
      - stepId: called
        workflowId: other
        outputs: {made: $outputs.made}
    outputs:
      size: $inputs.size
      lid: $inputs.box#/lid
      count: $steps.list.outputs.count
      first: $steps.list.outputs.first
      through: $steps.list.outputs.all#/all/0/id
      list: $steps.list.outputs.all#/all
      dotted: $steps.list.outputs.all.count
      header: $steps.list.outputs.etag
      several: $steps.any.outputs.count
      undescribed: $steps.any.outputs.none
      text: size {$inputs.size}
      pointer: {context: $steps.list.outputs.all, selector: /count, type: jsonpointer}
      query: {context: $steps.list.outputs.all, selector: $.count, type: jsonpath}
      made: $steps.called.outputs.made
      itself: $outputs.itself
      missing: $steps.list.outputs.nothing
  - workflowId: other
    steps: [{stepId: s, operationId: list}]
    outputs: {made: 7}
components: {inputs: {size: {type: integer}}}
`

// lookInto runs a look at the document of thingsFlow.
func lookInto(t *testing.T, look func(*Pass)) {
	t.Helper()
	root := write(t, map[string]string{"things.yaml": thingsAPI, "w.arazzo.yaml": thingsFlow})
	rule := Rule{Name: "look", Layer: Semantics, Severity: Hint, Check: look}
	result, err := Run(context.Background(), []Input{{Path: filepath.Join(root, "w.arazzo.yaml")}}, Options{Rules: []Rule{rule}})
	if err != nil || !result.Files[0].Complete {
		t.Fatal(err, result.Files[0].Incomplete)
	}
}

func TestWhatExpressionsGive(t *testing.T) {
	want := map[string]string{
		"size": "integer", "lid": "boolean", "count": "integer", "first": "string", "through": "string",
		"list": "array", "dotted": "integer", "header": "string", "several": "string or integer",
		"undescribed": "anything", "text": "string", "pointer": "integer", "query": "integer", "made": "integer",
		"itself": "anything", "missing": "anything",
	}
	lookInto(t, func(p *Pass) {
		got := make(map[string]string)
		for _, o := range p.Workflow("main").Outputs {
			got[o.Model.Name.Value] = o.Value.Schema().Types().String()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("types (-want +got):\n%s", diff)
		}
	})
}

func TestResponsesThatCanHaveCome(t *testing.T) {
	want := map[string]string{"list": "200", "any": "200 206 default", "called": ""}
	lookInto(t, func(p *Pass) {
		for _, s := range p.Workflow("main").Steps {
			var got []string
			for _, r := range s.Outputs[0].Value.Responses() {
				got = append(got, r.Status)
			}
			if all := strings.Join(got, " "); all != want[s.ID()] {
				t.Errorf("%s: got %s, want %s", s.ID(), all, want[s.ID()])
			}
		}
	})
}
