package httpcall

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/weft-flow/weft/idempotency"
)

// reason says in words what the class does not tell. URLs are never part of it:
// they may hold secrets.
func reason(o outcome, class idempotency.Class, why string) string {
	switch {
	case o.err != nil && o.seeOther:
		return "303 was answered; the request that follows it failed: " + o.fault()
	case o.err != nil && o.note != "":
		return o.note + ": " + o.fault()
	case o.err != nil:
		return o.fault()
	case o.note != "":
		return o.note
	case class == idempotency.Succeeded || class == idempotency.Rejected && o.status/100 == 4:
		return ""
	default:
		return why
	}
}

// fault tells why there is no complete response, and what of the request left.
func (o outcome) fault() string {
	words := o.words()
	var broken *responseError
	switch {
	case o.refused || o.passedOver:
		return words
	case errors.As(o.err, &broken) || o.status != 0:
		return fmt.Sprintf("%s, after the status %d", words, o.status)
	case !o.began && (isTimeout(o.err) || errors.Is(o.err, context.Canceled)):
		return words + " before the request was sent"
	case !o.began:
		return words
	case isTimeout(o.err) || errors.Is(o.err, context.Canceled) || o.written == 0:
		return words + " after the request was sent"
	default:
		return fmt.Sprintf("%s after %d bytes were written", words, o.written)
	}
}

func isTimeout(err error) bool {
	return errors.Is(err, errTimeout) || errors.Is(err, context.DeadlineExceeded)
}

// isReset tells whether the connection broke, in whichever way.
func isReset(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.As(err, &op) || closedIdle(err)
}

// closedIdle tells whether the server closed the connection in place of an
// answer. net/http has no exported name for this error.
func closedIdle(err error) bool {
	return strings.Contains(err.Error(), "server closed idle connection")
}

func (o outcome) words() string {
	var (
		dns    *net.DNSError
		secure *tlsError
	)
	err := o.err
	switch {
	case o.refused:
		return "the server refused the stream (HTTP/2 REFUSED_STREAM) and did not process the request"
	case o.passedOver:
		return "the server closed the connection (HTTP/2 GOAWAY) and did not process the request"
	case errors.Is(err, errTimeout):
		return "timeout"
	case errors.Is(err, context.DeadlineExceeded):
		return "the deadline of the run passed"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &dns):
		return dnsWords(dns)
	case errors.As(err, &secure):
		return "TLS: " + tlsWords(secure.err)
	case errors.Is(err, errTooLarge):
		return err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF) && o.status != 0:
		return "the response broke off"
	}
	return networkWords(err)
}

func networkWords(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the host cannot be reached"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe), closedIdle(err):
		return "the server closed the connection without an answer"
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Timeout() {
		return "no connection in time"
	}
	return short(err)
}

func dnsWords(err *net.DNSError) string {
	if err.IsNotFound {
		return fmt.Sprintf("the host name %q was not found", err.Name)
	}
	return fmt.Sprintf("the host name %q could not be looked up", err.Name)
}

func tlsWords(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return "certificate signed by unknown authority"
	case errors.As(err, &host):
		return fmt.Sprintf("the certificate is not for the host %q", host.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate has expired or is not yet valid"
	case errors.As(err, &record):
		return "the server does not speak TLS"
	case errors.As(err, &alert):
		return "the server refused: " + alert.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	}
	return short(err)
}

// short bounds the text of an error that has no words of ours. What a server sent
// in place of HTTP is left out.
func short(err error) string {
	const most = 200
	text := strings.TrimPrefix(err.Error(), "net/http: ")
	if at := strings.Index(text, "malformed HTTP"); at >= 0 {
		text, _, _ = strings.Cut(text[at:], ` "`)
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
