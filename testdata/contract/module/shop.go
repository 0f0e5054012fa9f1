// Package shop is a service that somebody else writes: it calls its APIs through one
// client, with a header of its own, and tests the order flow that it hands to Weft.
package shop

import "net/http"

// NewClient gives the client through which the shop calls its APIs. It leads to next;
// nil: to the network.
func NewClient(next http.RoundTripper) *http.Client {
	if next == nil {
		next = http.DefaultTransport
	}
	return &http.Client{Transport: named{next}}
}

// named says in each request who asks.
type named struct{ next http.RoundTripper }

// RoundTrip sends one request.
func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Client", "shop")
	return n.next.RoundTrip(r)
}
