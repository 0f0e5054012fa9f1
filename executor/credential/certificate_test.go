package credential

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/idempotency"
)

// issue makes a certificate with its key, signed by an authority or by itself, and
// writes both as PEM files.
func issue(t *testing.T, name string, authority *tls.Certificate) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        authority == nil, BasicConstraintsValid: true,
	}
	parent, signer := template, any(private)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// secure plays a TLS server of an authority that asks for a client certificate of
// the same, and tells whose it got; it need not get one.
func secure(t *testing.T, authority *tls.Certificate, roots *x509.CertPool, handler http.HandlerFunc) (address string, seen func() []string) {
	t.Helper()
	own, err := ClientCertificate(issue(t, "server", authority))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	s := &server{}
	s.Server = httptest.NewUnstartedServer(s.keep(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		s.mu.Lock()
		names = append(names, name)
		s.mu.Unlock()
		if handler != nil {
			handler(w, r)
		}
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: roots}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "https://"), ":")
	return "https://localhost:" + port, func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return append([]string(nil), names...)
	}
}

func TestAClientCertificateIsShownToItsOriginAlone(t *testing.T) {
	caFile, caKey := issue(t, "authority", nil)
	authority, err := ClientCertificate(caFile, caKey)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := Authorities(caFile)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ClientCertificate(issue(t, "the client", &authority))
	if err != nil {
		t.Fatal(err)
	}
	other, seenByOther := secure(t, &authority, roots, nil)
	api, seen := secure(t, &authority, roots, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/b" {
			http.Redirect(w, r, other+"/x", http.StatusFound)
		}
	})
	u, err := url.Parse(api + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	set := load(t, "[{url: '"+api+"'}]", api, secured("[{mutual: []}]"), "")
	k := ring(t, set, Options{Sources: map[string]Source{"my-api": {ClientCertificate: true}}})
	trusting := &tls.Config{RootCAs: roots}
	runtime := live.New(live.Options{
		Client: httpcall.New(httpcall.Options{TLS: trusting}),
		Sources: map[string]*httpcall.Client{"my-api": httpcall.New(httpcall.Options{
			TLS: trusting, Identity: &httpcall.Identity{Certificate: pair, Server: u}, Authorizer: k,
		})},
	})
	defer runtime.Close()

	call := callTo(t, set, api)
	x, _ := runtime.Call(t.Context(), call)
	if x.Class != idempotency.Succeeded || len(x.Notices) > 0 {
		t.Fatalf("got %s: %s %q", x.Class, x.Reason, x.Notices)
	}
	redirected := *call.Operation
	redirected.Path, call.Operation = "/b", &redirected
	if x, _ := runtime.Call(t.Context(), call); x.Class != idempotency.Succeeded {
		t.Fatalf("the redirect: %s: %s", x.Class, x.Reason)
	}
	call.Source = nil // a call of another source
	call.Operation = &redirected
	redirected.Path = "/a"
	if x, _ := runtime.Call(t.Context(), call); x.Class != idempotency.Succeeded {
		t.Fatalf("another source: %s: %s", x.Class, x.Reason)
	}
	if got := strings.Join(seen(), ", "); got != "the client, the client, nobody" {
		t.Errorf("the API saw %s", got)
	}
	if got := strings.Join(seenByOther(), ", "); got != "nobody" {
		t.Errorf("the other origin saw %s", got)
	}
}

func TestAnUnknownAuthorityIsToldApart(t *testing.T) {
	caFile, caKey := issue(t, "authority", nil)
	authority, err := ClientCertificate(caFile, caKey)
	if err != nil {
		t.Fatal(err)
	}
	api, _ := secure(t, &authority, nil, nil)
	set := load(t, "[{url: '"+api+"'}]", api, secured("[]"), "")
	x := clientWith(t, ring(t, set, Options{})).Call(t.Context(), callTo(t, set, api))
	if x.Class != idempotency.NotSent || !strings.Contains(x.Reason, "unknown authority") {
		t.Errorf("got %s: %s", x.Class, x.Reason)
	}
}

func TestPEMFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(planted), 0o600); err != nil {
		t.Fatal(err)
	}
	certificate, key := issue(t, "a", nil)
	_, otherKey := issue(t, "b", nil)
	tests := []struct {
		name string
		err  func() error
		want string
	}{
		{"no file of authorities", func() error { _, err := Authorities(filepath.Join(dir, "none")); return err }, "certificate authorities: open"},
		{"no authorities", func() error { _, err := Authorities(text); return err }, "holds no certificate in PEM form"},
		{"no certificate", func() error { _, err := ClientCertificate(text, key); return err }, "client certificate " + text},
		{"no key", func() error { _, err := ClientCertificate(certificate, text); return err }, "failed to find any PEM data in key input"},
		{"no file of a key", func() error { _, err := ClientCertificate(certificate, dir); return err }, "key of the client certificate"},
		{"another's key", func() error { _, err := ClientCertificate(certificate, otherKey); return err }, "private key does not match"},
	}
	for _, test := range tests {
		err := test.err()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, expected %q in it", test.name, err, test.want)
			continue
		}
		mustLack(t, "the error", err.Error(), planted)
	}
}
