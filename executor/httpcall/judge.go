package httpcall

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// judge gives the class of an attempt and, where the class does not tell all, the
// reason in words.
func judge(o outcome, call executor.Call, now time.Time) (idempotency.Class, string) {
	seen := idempotency.Observation{
		Written:  o.began || o.seeOther,
		Status:   o.status,
		Complete: o.response != nil,
		Failure:  failure(o),
		KeySent:  call.Key != nil,
		SeeOther: o.seeOther,
		Profile:  call.Profile,
	}
	if o.response != nil {
		retryAfter, stands := o.response.Header.Get("Retry-After")
		_, seen.RetryAfter = idempotency.ParseRetryAfter(retryAfter, now)
		seen.Garbled = stands && !seen.RetryAfter
		seen.InFlight = saysInFlight(o.response)
	}
	class, why := idempotency.Classify(seen)
	return class, reason(o, class, why)
}

// failure gives the kind of fault for which there is no complete response.
func failure(o outcome) idempotency.Failure {
	if o.err == nil {
		return idempotency.NoFailure
	}
	var (
		dns    *net.DNSError
		secure *tlsError
		dial   *dialError
		broken *responseError
	)
	switch {
	case o.refused:
		return idempotency.FailedRefused
	case o.passedOver:
		return idempotency.FailedGoAway
	case errors.Is(o.err, context.Canceled):
		return idempotency.FailedCancelled
	case errors.Is(o.err, errTimeout), errors.Is(o.err, context.DeadlineExceeded):
		return idempotency.FailedTimeout
	case errors.As(o.err, &dns):
		return idempotency.FailedDNS
	case errors.As(o.err, &secure):
		return idempotency.FailedTLS
	case errors.As(o.err, &dial):
		return idempotency.FailedConnect
	case errors.As(o.err, &broken):
		return idempotency.FailedTruncated
	case isReset(o.err):
		return idempotency.FailedReset
	default:
		return idempotency.FailedProtocol
	}
}

// saysInFlight tells whether the body of a 409 says that a request with the same
// key is being worked on (RFC 9457). The type counts under application/json too:
// many APIs send problems so.
func saysInFlight(r *executor.Response) bool {
	if r.Status != http.StatusConflict {
		return false
	}
	contentType, _ := r.Header.Get("Content-Type")
	kind, _ := parseMedia(contentType)
	if !isJSON(kind) {
		return false
	}
	var problem struct{ Type, Title string }
	if json.Unmarshal(r.Body, &problem) != nil {
		return false
	}
	if !strings.HasPrefix(kind, "application/problem+") {
		problem.Title = ""
	}
	return idempotency.InFlightProblem(problem.Type, problem.Title)
}
