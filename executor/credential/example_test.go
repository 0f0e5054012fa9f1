package credential_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/credential"
	"github.com/weft-flow/weft/executor/httpcall"
)

// An API key is sent, and not recorded.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "you are ", r.Header.Get("X-Api-Key"))
	}))
	defer server.Close()
	orders := &source.Description{Name: "orders", OpenAPI: &source.Catalog{Security: map[string]*source.SecurityScheme{
		"ordersKey": {Name: "ordersKey", Type: "apiKey", In: "header", Key: "X-Api-Key"},
	}}}

	keys := credential.New(credential.Options{
		Servers: map[string]string{"orders": server.URL},
		Environ: []string{"WEFT_AUTH_ORDERS_ORDERSKEY=k-1234"}, // os.Environ()
	})
	client := httpcall.New(httpcall.Options{Authorizer: keys})
	defer client.Close()
	x := client.Call(context.Background(), executor.Call{
		Operation: &source.Operation{Method: "GET", Path: "/orders", Security: []source.SecurityRequirement{{"ordersKey": nil}}},
		Source:    orders,
		Server:    server.URL,
	})
	fmt.Println(string(x.Response.Body))
	fmt.Println(x.Sent.Header["X-Api-Key"])
	// Output:
	// you are k-1234
	// [***]
}
