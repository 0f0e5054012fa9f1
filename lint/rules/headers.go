package rules

import "strings"

// httpHeaders are the fields that HTTP gives a meaning of their own (RFC 9110 to
// 9112, and the registry of fields): a client may send them, and a server answer
// with them, whether or not a description names them.
var httpHeaders = setOf(`
	accept accept-charset accept-encoding accept-language accept-patch accept-post accept-ranges
	access-control-allow-credentials access-control-allow-headers access-control-allow-methods
	access-control-allow-origin access-control-expose-headers access-control-max-age
	access-control-request-headers access-control-request-method
	age allow alt-svc authentication-info authorization baggage cache-control connection
	content-digest content-disposition content-encoding content-language content-length content-location
	content-range content-security-policy content-type cookie date deprecation dnt early-data etag expect
	expires forwarded from host if-match if-modified-since if-none-match if-range if-unmodified-since
	keep-alive last-modified link location max-forwards origin pragma prefer preference-applied priority
	proxy-authenticate proxy-authorization range ratelimit ratelimit-limit ratelimit-policy ratelimit-remaining
	ratelimit-reset referer referrer-policy repr-digest retry-after server server-timing set-cookie
	strict-transport-security sunset te traceparent tracestate trailer transfer-encoding upgrade user-agent
	vary via want-content-digest want-repr-digest warning www-authenticate x-content-type-options
	x-forwarded-for x-forwarded-host x-forwarded-proto x-frame-options x-http-method-override
	x-requested-with x-request-id x-correlation-id
`)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// isHTTPHeader tells whether HTTP, or a custom as old as it, knows a header.
func isHTTPHeader(name string) bool { return httpHeaders[strings.ToLower(name)] }
