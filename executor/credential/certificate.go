package credential

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
)

// maxPEM is the size of a PEM file, in bytes, up to which it is read.
const maxPEM = 4 << 20

// Authorities reads a PEM file with certificate authorities, and gives them beside
// those of the system.
func Authorities(path string) (*x509.CertPool, error) {
	text, err := readPEM(path)
	if err != nil {
		return nil, fmt.Errorf("certificate authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("certificate authorities: %s holds no certificate in PEM form", path)
	}
	return pool, nil
}

// ClientCertificate reads a client certificate, with the chain that leads to its
// authority, and its private key from PEM files.
func ClientCertificate(certificate, key string) (tls.Certificate, error) {
	chain, err := readPEM(certificate)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("client certificate: %w", err)
	}
	private, err := readPEM(key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("key of the client certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("client certificate %s with key %s: %w", certificate, key, err)
	}
	return pair, nil
}

func readPEM(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPEM+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPEM {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxPEM)
	}
	return text, nil
}
