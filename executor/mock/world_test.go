package mock_test

import (
	"strings"
	"testing"
)

const books = `
paths:
  /shelves/{shelfId}/books:
    post:
      operationId: addBook
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
      responses:
        '201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
        '404': {description: no such shelf}
    get:
      operationId: listBooks
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Book'}}}}}
  /shelves/{shelfId}/books/{isbn}:
    get:
      operationId: getBook
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
        '404': {description: none}
    put:
      operationId: putBook
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
    patch:
      operationId: patchBook
      requestBody: {required: true, content: {application/merge-patch+json: {schema: {type: object}}}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
        '404': {description: none}
    delete:
      operationId: deleteBook
      responses: {'204': {description: gone}, '404': {description: none}}
  /shelves:
    post:
      operationId: addShelf
      responses:
        '201': {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: integer}}}}}}
    get:
      operationId: listShelves
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {total: {type: integer}, shelves: {type: array, items: {type: object, properties: {id: {type: integer}}}}}}
              example: {total: 1, shelves: [{id: 7}]}
  /shelves/{shelfId}:
    get:
      operationId: getShelf
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: integer}}}}}}
        '404': {description: none}
  /ping:
    get:
      operationId: ping
      responses: {'200': {description: ok, content: {text/plain: {schema: {type: string, example: pong}}}}}
components:
  schemas:
    Book:
      type: object
      required: [isbn, title]
      properties:
        isbn: {type: string}
        title: {type: string}
        pages: {type: integer}
        added: {type: string, format: date, readOnly: true}
`

func TestResourcesLiveAndDie(t *testing.T) {
	server, c := play(t, api(t, "3.0.3", books))
	shelf := c.expect(201, "POST", "/shelves", "")
	if got := shelf.get("id"); got != "1" {
		t.Fatalf("shelf %s", shelf.Body)
	}
	// The caller's own id stays.
	added := c.expect(201, "POST", "/shelves/1/books", `{"isbn":"978","title":"Weaving","added":"1900-01-01"}`)
	if added.get("isbn") != "978" || added.get("added") != "2025-01-01" {
		t.Errorf("added %s", added.Body)
	}
	c.expect(200, "PUT", "/shelves/1/books/978", `{"isbn":"978","title":"Weaving II","pages":9007199254740993}`)
	read := c.expect(200, "GET", "/shelves/1/books/978", "")
	if !strings.Contains(read.Body, `"pages":9007199254740993`) || read.get("title") != "Weaving II" {
		t.Errorf("read %s", read.Body)
	}
	patched := c.expect(200, "PATCH", "/shelves/1/books/978", `{"pages":null,"title":"Weaving III"}`, "Content-Type: application/merge-patch+json")
	if strings.Contains(patched.Body, "pages") || patched.get("title") != "Weaving III" {
		t.Errorf("patched %s", patched.Body)
	}
	// A PUT to an unknown place creates.
	c.expect(200, "PUT", "/shelves/1/books/979", `{"isbn":"979","title":"Another"}`)
	list := c.expect(200, "GET", "/shelves/1/books", "")
	if list.get("0", "isbn") != "978" || list.get("1", "isbn") != "979" {
		t.Errorf("list %s", list.Body)
	}
	c.expect(204, "DELETE", "/shelves/1/books/978", "")
	c.expect(404, "DELETE", "/shelves/1/books/978", "")
	c.expect(404, "GET", "/shelves/1/books/978", "")
	c.expect(404, "POST", "/shelves/2/books", `{"isbn":"1","title":"Lost"}`)
	wantEffects(t, server, "addBook x1", "addShelf x1", "deleteBook x1", "patchBook x1", "putBook x2")
}

func TestTheExampleOfAListIsThereFromTheStart(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", books))
	c.expect(200, "GET", "/shelves/7", "")
	c.expect(404, "GET", "/shelves/8", "")
	c.expect(201, "POST", "/shelves", "")
	list := c.expect(200, "GET", "/shelves", "")
	if list.Body != `{"shelves":[{"id":7},{"id":1}],"total":2}` {
		t.Errorf("list %s", list.Body)
	}
}

func TestAPIsThatCannotBeAddedToAnswerWithExamples(t *testing.T) {
	_, c := play(t, api(t, "3.1.0", `
paths:
  /products:
    get:
      operationId: list
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Product'}}}}}
  /products/{productId}:
    get:
      operationId: read
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Product'}}}}
        '404': {description: none}
components:
  schemas:
    Product: {type: object, properties: {id: {type: string}, price: {type: [number, 'null'], minimum: 2.5}}}
`))
	if a := c.expect(200, "GET", "/products", ""); a.Body != `[{"id":"text","price":2.5}]` {
		t.Errorf("list %s", a.Body)
	}
	if a := c.expect(200, "GET", "/products/p-9", ""); a.Body != `{"id":"p-9","price":2.5}` {
		t.Errorf("read %s", a.Body)
	}
}

func TestPropertiesThatGoOn(t *testing.T) {
	_, c := play(t, api(t, "3.1.0", `
paths:
  /jobs:
    post:
      operationId: start
      responses:
        '202': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}
  /jobs/{id}:
    get:
      operationId: read
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
  /jobs/{id}/cancel:
    post:
      operationId: cancel
      responses:
        '200':
          description: ok
          content: {application/json: {schema: {$ref: '#/components/schemas/Job'}, example: {id: other, status: CANCELLED}}}
components:
  schemas:
    Job:
      type: object
      properties:
        id: {type: string, format: uuid}
        status: {type: string, enum: [QUEUED, RUNNING, DONE, CANCELLED], x-weft-mock: {then: [QUEUED, RUNNING, DONE]}}
`))
	first := c.expect(202, "POST", "/jobs", "").get("id")
	second := c.expect(202, "POST", "/jobs", "").get("id")
	if first == second || len(first) != 36 {
		t.Errorf("ids %s and %s", first, second)
	}
	for _, want := range []string{"QUEUED", "RUNNING", "DONE", "DONE"} {
		if got := c.expect(200, "GET", "/jobs/"+first, "").get("status"); got != want {
			t.Errorf("status %s, expected %s", got, want)
		}
	}
	c.expect(200, "GET", "/jobs/"+second, "")
	cancelled := c.expect(200, "POST", "/jobs/"+second+"/cancel", "")
	if cancelled.get("status") != "CANCELLED" || cancelled.get("id") != second {
		t.Errorf("cancelled %s", cancelled.Body)
	}
	if got := c.expect(200, "GET", "/jobs/"+second, "").get("status"); got != "CANCELLED" {
		t.Errorf("a cancelled job goes on to %s", got)
	}
}

func TestAnActionThatAnswersSomethingElse(t *testing.T) {
	_, c := play(t, api(t, "3.1.0", `
paths:
  /orders:
    post:
      operationId: create
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /orders/{orderId}:
    get:
      operationId: read
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /orders/{orderId}/refund:
    post:
      operationId: refund
      responses:
        '201':
          description: ok
          content:
            application/json:
              schema:
                type: object
                properties:
                  id: {type: string, examples: [ref-1]}
                  orderId: {type: string}
                  currency: {type: string}
                  status: {type: string, enum: [REFUNDED]}
components:
  schemas:
    Order: {type: object, properties: {id: {type: string}, currency: {type: string}, status: {type: string, enum: [OPEN, PAID]}}}
`))
	c.expect(201, "POST", "/orders", `{"currency":"CHF"}`)
	refund := c.expect(201, "POST", "/orders/ord-1/refund", "")
	if refund.Body != `{"currency":"CHF","id":"ref-1","orderId":"ord-1","status":"REFUNDED"}` {
		t.Errorf("refund %s", refund.Body)
	}
	if got := c.expect(200, "GET", "/orders/ord-1", "").get("status"); got != "OPEN" {
		t.Errorf("order %s", got)
	}
}

func TestAnAnswerThatTellsNothingOfWhatItMade(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", `
paths:
  /letters:
    post:
      operationId: send
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'201': {description: ok}}
  /letters/{letterId}:
    get:
      operationId: read
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {letter_id: {type: string}, text: {type: string}}}
        default: {description: anything else}
`))
	sent := c.expect(201, "POST", "/letters", `{"text":"Dear"}`)
	at := sent.Header.Get("Location")
	if at != "/letters/let-1" || sent.Body != "" {
		t.Errorf("Location %q, body %q", at, sent.Body)
	}
	if read := c.expect(200, "GET", at, ""); read.get("letter_id") != "let-1" || read.get("text") != "Dear" {
		t.Errorf("read %s", read.Body)
	}
	c.expect(404, "GET", "/letters/let-2", "")
}

func TestContentIsNegotiated(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", `
paths:
  /report:
    get:
      operationId: report
      responses:
        '200':
          description: ok
          content:
            text/csv: {schema: {type: string}, example: "a,b"}
            application/json: {schema: {type: object, properties: {a: {type: boolean}}}}
            application/xml: {schema: {type: object, properties: {a: {type: string, example: '<&>'}}}}
`))
	for accept, want := range map[string]string{
		"":                                    `{"a":true}`,
		"text/csv":                            "a,b",
		"text/*;q=0.9, application/json;q=.1": "a,b",
		"application/xml":                     "<root><a>&lt;&amp;&gt;</a></root>",
		"image/png":                           `{"a":true}`,
	} {
		fields := []string{"Accept: " + accept}
		if accept == "" {
			fields = nil
		}
		if a := c.expect(200, "GET", "/report", "", fields...); a.Body != want {
			t.Errorf("Accept %q: %s, expected %s", accept, a.Body, want)
		}
	}
}
