package httpcall_test

import (
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/weft-flow/weft/executor/httpcall"
)

// A server takes the request and goes away without an answer. It was sent once, and
// what became of it is unknown.
func ExampleClient_HTTPClient() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		// What it reads does not matter; it goes away in any case.
		_, _ = conn.Read(make([]byte, 1))
		conn.Close()
	}()

	client := httpcall.New(httpcall.Options{})
	defer client.Close()
	request, err := http.NewRequest(http.MethodPost, "http://"+listener.Addr().String(), strings.NewReader("order"))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", "order-4711")
	_, err = client.HTTPClient().Do(request)
	var send *httpcall.SendError
	if errors.As(err, &send) {
		fmt.Println(send.Class)
	}
	// Output: unknown
}
