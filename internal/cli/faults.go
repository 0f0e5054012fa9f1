package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/mock"
)

// readFaults reads the plan of --faults; without a file there are no faults. What is
// wrong with the plan is told here; the error then only says so.
func readFaults(path string, stdio Stdio) (mock.FaultPlan, error) {
	if path == "" {
		return mock.FaultPlan{}, nil
	}
	plan, faults, err := mock.LoadFaults(path)
	if err != nil {
		return plan, usage("--faults: %w", err)
	}
	if len(faults) > 0 {
		return plan, tellAll(stdio.Err, path, faults)
	}
	return plan, nil
}

// reach gives what a client needs to reach the mock: a dialer, which can be refused,
// and trust in the certificate of the mock where it speaks HTTPS.
func (p *playedAPIs) reach(options httpcall.Options) httpcall.Options {
	options.Dial = p.server.Dial
	if p.authority != nil {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(p.authority)
		options.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return options
}

// toward is a runtime that tells the mock's dialer for which request it connects.
type toward struct{ *live.Runtime }

// Call sends one request.
func (t toward) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	return t.Runtime.Call(mock.Toward(ctx, call.Operation.Method, call.Server+call.Operation.Path), call)
}

// tellUnfired tells which planned faults never fired, and gives the exit code for it:
// a run whose faults did not fire has not tested what it was to test.
func (p *playedAPIs) tellUnfired(w io.Writer) int {
	unfired := p.server.Unfired()
	for _, err := range unfired {
		fmt.Fprintf(w, "weft: %v\n", err)
	}
	if len(unfired) > 0 {
		return exitFailed
	}
	return exitOK
}
