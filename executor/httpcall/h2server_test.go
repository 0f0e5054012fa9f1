package httpcall

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Conn is one HTTP/2 connection to a rawServer, frame by frame.
type h2Conn struct {
	*rawConn
	*http2.Framer
}

// newH2Server starts a TLS server that speaks HTTP/2 alone. For every request that
// has arrived to its end it calls answer with the stream; nth counts the requests
// of all connections, from 1.
func newH2Server(t testing.TB, answer func(c *h2Conn, nth int, stream uint32)) *rawServer {
	t.Helper()
	return newTLSServer(t, []string{"h2"}, func(c *rawConn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c.reader, preface); err != nil {
			return
		}
		h := &h2Conn{rawConn: c, Framer: http2.NewFramer(c, c.reader)}
		h.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		if h.WriteSettings() == nil {
			h.play(answer)
		}
	})
}

func (h *h2Conn) play(answer func(c *h2Conn, nth int, stream uint32)) {
	for {
		f, err := h.ReadFrame()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				h.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			nth := h.record(f.PseudoValue("method") + " " + f.PseudoValue("path"))
			if f.StreamEnded() {
				answer(h, nth, f.StreamID)
			}
		case *http2.DataFrame:
			nth := h.recordBody(string(f.Data()))
			if f.StreamEnded() {
				answer(h, nth, f.StreamID)
			}
		}
	}
}

func (h *h2Conn) record(head string) int {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	h.nth++
	h.server.requests = append(h.server.requests, &rawRequest{connection: h.number, nth: h.nth, head: head})
	return len(h.server.requests)
}

func (h *h2Conn) recordBody(data string) int {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	last := h.server.requests[len(h.server.requests)-1]
	last.body += data
	return len(h.server.requests)
}

// ok answers 200.
func (h *h2Conn) ok(stream uint32) {
	var block bytes.Buffer
	hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	h.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	h.WriteData(stream, true, []byte("{}"))
}

// newTLSServer is newRawServer behind TLS with the given protocols.
func newTLSServer(t testing.TB, protocols []string, play func(*rawConn)) *rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "https://" + listener.Addr().String()}
	config := &tls.Config{Certificates: []tls.Certificate{certificate()}, NextProtos: protocols}
	s.accept(t, tls.NewListener(listener, config), play)
	return s
}

// certificate is for 127.0.0.1, signed by itself.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

// trusting gives a TLS configuration that knows the test's certificate.
func trusting() *tls.Config {
	roots := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(certificate().Certificate[0])
	if err != nil {
		panic(err)
	}
	roots.AddCert(leaf)
	return &tls.Config{RootCAs: roots}
}
