package credential

import "testing"

// BenchmarkAuthorize finds the credential for a call whose token is there.
func BenchmarkAuthorize(b *testing.B) {
	api, auth := serve(b, nil), issuer(b, 3600)
	set := load(b, "[{url: '"+api.URL+"'}]", auth.URL, secured("[{oauth: [read]}]"), "")
	k := ring(b, set, Options{Environ: []string{"WEFT_AUTH_MY_API_OAUTH=id:" + planted}})
	call := callTo(b, set, api.URL)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Authorize(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
