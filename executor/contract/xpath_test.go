package contract_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/contract"
)

// orderXML describes an operation that answers in XML, and a webhook that brings it.
const orderXML = `
openapi: 3.1.0
info: {title: Orders, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8087'}]
paths:
  /orders/{orderId}:
    get:
      operationId: getOrder
      parameters: [{name: orderId, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: The order.
          content:
            application/json: {schema: {$ref: '#/components/schemas/order'}}
            application/xml: {schema: {$ref: '#/components/schemas/order'}}
        '404': {description: There is none.}
components:
  schemas:
    order:
      type: object
      required: [id, status, lines]
      properties:
        id: {type: string, xml: {attribute: true}}
        status: {type: string, enum: [NEW, PAID, GONE]}
        total: {type: number, xml: {name: amount}}
        note: {type: string, minLength: 2}
        fault: {type: string}
        lines:
          type: array
          xml: {wrapped: true}
          items:
            type: object
            xml: {name: line}
            properties:
              sku: {type: string, xml: {attribute: true}}
              left: {type: integer}
        tags: {type: array, items: {type: string, xml: {name: tag}}}
`

// xmlFlow gives a document with one step that has the criteria, as one action's.
func xmlFlow(t *testing.T, api, criteria string) *source.Set {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "api.yaml"), api)
	write(t, filepath.Join(dir, "flow.yaml"), fmt.Sprintf(`
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: orders, url: api.yaml, type: openapi}]
workflows:
  - workflowId: one
    inputs: {type: object, properties: {wanted: {type: string, default: PAID}}}
    steps:
      - stepId: get
        operationId: getOrder
        parameters: [{name: orderId, in: path, value: o-1}, {name: Accept, in: header, value: application/xml}]
        successCriteria: [{condition: $statusCode < 600}]
        onSuccess:
          - name: wanted
            type: end
            criteria:
%s
`, indent(criteria, 14)))
	return load(t, filepath.Join(dir, "flow.yaml"))
}

func xpathCriterion(condition, version string) string {
	return "- context: $response.body\n  type: {type: xpath, version: " + version + "}\n  condition: \"" + condition + "\""
}

// TestAnswersForXPath holds that answers are made for which an XPath is true, and ones for
// which it is not, both as the description allows.
func TestAnswersForXPath(t *testing.T) {
	for _, condition := range []string{
		`//status = 'PAID'`,
		`/order/status/text() = 'GONE'`,
		`/order/status[text() = 'PAID']`,
		`count(//line) > 2`,
		`count(/order/lines/line) = 0`,
		`boolean(//fault)`,
		`//fault`,
		`not(//note) and /order/@id = 'o-7'`,
		`/order/@id != 'x' or //status = 'NEW'`,
		`//line[@sku = 'TEA']`,
		`//line[@sku='TEA']/left > 5`,
		`/order/lines/line[2]/@sku = 'B'`,
		`/order/amount >= 100`,
		`//tag = 'urgent'`,
		`//status = '{$inputs.wanted}'`,
		`contains(//note, 'late') and string-length(//fault) = 4`,
		`normalize-space(/order/status) = 'PAID'`,
		`/order[@id = 'o-9'][status = 'GONE']`,
	} {
		t.Run(condition, func(t *testing.T) {
			set := xmlFlow(t, orderXML, xpathCriterion(condition, "xpath-10"))
			report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			for _, u := range w.Unreached {
				if u.Kind == "action" || u.Kind == "criterion" && u.Name != "$statusCode < 600" {
					t.Errorf("%s %s %s: %s", u.Kind, u.Name, u.Outcome, u.Why)
				}
			}
			if c := w.Coverage.Actions; c.Total != 1 || c.Covered != 1 || len(w.Failures) > 0 {
				t.Errorf("actions: %+v %v %v", c, w.Refused, w.Failures)
			}
		})
	}
}

// TestWhatXPathDoesNotReach holds what is said of an XPath that no answer makes true.
func TestWhatXPathDoesNotReach(t *testing.T) {
	for _, test := range []struct{ condition, kind, why string }{
		{`//status = 'LOST'`, "action", `only an answer that the description does not allow leads there: 200 with //status = "LOST"`},
		{`/invoice/status = 'PAID'`, "action", "no answer that was tried makes it so"},
		{`//line[2]/preceding-sibling::order`, "criterion", "no answer is made up for an XPath that finds by other ways than names, positions and attributes"},
	} {
		t.Run(test.condition, func(t *testing.T) {
			criteria := "- condition: $statusCode == 200\n" + xpathCriterion(test.condition, "xpath-10")
			report, err := contract.Explore(context.Background(), xmlFlow(t, orderXML, criteria), contract.Options{Budget: -1})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, u := range report.Workflows[0].Unreached {
				found = found || u.Kind == test.kind && u.Why == test.why
			}
			if !found {
				t.Errorf("%+v", report.Workflows[0].Unreached)
			}
		})
	}
}

// shipmentXML describes an operation that a webhook of XML follows.
const shipmentXML = `
openapi: 3.1.0
info: {title: Shipments, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8087'}]
paths:
  /shipments:
    post:
      operationId: ship
      x-weft-sends: [{webhook: shipped}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
      responses:
        '201': {description: Made., content: {text/plain: {schema: {type: string}}}}
webhooks:
  shipped:
    post:
      operationId: shipped
      parameters: [{name: X-Ref, in: header, required: true, schema: {type: string, const: r-1}}]
      requestBody:
        content:
          application/xml:
            schema:
              type: object
              xml: {name: shipment}
              required: [state]
              properties:
                state: {type: string, enum: [SENT, LOST]}
                ref: {type: string}
      responses: {'204': {description: Taken.}}
`

// TestMessagesForXPath holds that messages of XML are made that an XPath is true for, and
// answers of plain text that a regular expression matches.
func TestMessagesForXPath(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "api.yaml"), shipmentXML)
	write(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: shipments, url: api.yaml, type: openapi}]
workflows:
  - workflowId: one
    steps:
      - stepId: ship
        operationId: ship
        requestBody: {payload: {ref: r-1}}
        onSuccess:
          - name: numbered
            type: goto
            stepId: shipped
            criteria: [{context: $response.body, type: regex, condition: '^no [0-9]{3}$'}]
      - stepId: shipped
        operationId: shipped
        action: receive
        correlationId: r-1
        x-weft-correlation: $message.header.X-Ref
        timeout: 5000
        successCriteria: [{context: $message.payload, type: {type: xpath, version: xpath-10}, condition: "/shipment/state = 'SENT'"}]
        onFailure:
          - name: lost
            type: end
            criteria: [{context: $message.payload, type: {type: xpath, version: xpath-10}, condition: "//state = 'LOST'"}]
`)
	report, err := contract.Explore(context.Background(), load(t, filepath.Join(dir, "flow.yaml")), contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	w := report.Workflows[0]
	if c := w.Coverage; c.Actions.Total != 2 || c.Actions.Covered != 2 || c.Criteria.Covered != c.Criteria.Total || len(w.Failures) > 0 {
		t.Errorf("%+v %v %v %+v", c, w.Refused, w.Failures, w.Unreached)
	}
}
