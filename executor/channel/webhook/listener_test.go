package webhook_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/channel/webhook"
)

func listen(t *testing.T, handler http.Handler, o webhook.ListenOptions) *webhook.Listener {
	t.Helper()
	l, err := webhook.Listen(handler, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(context.Background()) })
	return l
}

// client makes requests on connections that are not kept.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestListenerReceives(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	l := listen(t, s.receiver, webhook.ListenOptions{})
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || host != "127.0.0.1" || l.URL() != "http://"+l.Addr().String() {
		t.Errorf("it listens on %s and is seen as %s, %v", l.Addr(), l.URL(), err)
	}
	for target, want := range map[string]int{path: 202, "/webhooks//pay/paymentChanged": 404, "/webhooks/../webhooks/pay/paymentChanged": 404} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.URL()+target, strings.NewReader(`{"ref":"1"}`))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client(t).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != want || want == 202 && len(body) > 0 {
			t.Errorf("%s: %d %s, want %d", target, answer.StatusCode, body, want)
		}
	}
	s.only()
}

func TestListenerIsSeenFromOutside(t *testing.T) {
	l := listen(t, http.NotFoundHandler(), webhook.ListenOptions{URL: "https://hooks.example.com/weft/"})
	if l.URL() != "https://hooks.example.com/weft" {
		t.Errorf("it is seen as %s", l.URL())
	}
	if _, err := webhook.Listen(nil, webhook.ListenOptions{URL: "hooks.example.com"}); err == nil {
		t.Error("a URL without a scheme is taken")
	}
	if _, err := webhook.Listen(nil, webhook.ListenOptions{Address: l.Addr().String()}); err == nil {
		t.Error("an address that is taken is listened on")
	}
}

func TestListenerOnAllInterfaces(t *testing.T) {
	l := listen(t, http.NotFoundHandler(), webhook.ListenOptions{Address: "0.0.0.0:0"})
	if !strings.HasPrefix(l.URL(), "http://127.0.0.1:") {
		t.Errorf("it is seen as %s", l.URL())
	}
}

// TestCloseAnswersWhatIsInTheAir closes while a message is being kept.
func TestCloseAnswersWhatIsInTheAir(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{})
	l := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(reached)
		<-open
		w.WriteHeader(202)
	}), webhook.ListenOptions{})
	answers := make(chan error)
	go func() {
		answer, err := client(t).Post(l.URL(), "text/plain", nil)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode != 202 {
				err = errors.New(answer.Status)
			}
		}
		answers <- err
	}()
	<-reached
	closed := make(chan error)
	go func() { closed <- l.Close(t.Context()) }()
	select {
	case err := <-closed:
		t.Fatalf("closed before the answer: %v", err)
	case err := <-answers:
		t.Fatalf("answered before the message was kept: %v", err)
	default:
	}
	close(open)
	if err := <-answers; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if _, err := client(t).Post(l.URL(), "text/plain", nil); err == nil {
		t.Error("it still answers")
	}
}

// TestCloseBreaksOff closes while a message is being kept for ever.
func TestCloseBreaksOff(t *testing.T) {
	reached := make(chan struct{})
	l := listen(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	}), webhook.ListenOptions{})
	failed := make(chan error)
	go func() {
		_, err := client(t).Post(l.URL(), "text/plain", nil)
		failed <- err
	}()
	<-reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("the sender got an answer")
	}
}

// TestSlowSendersAreLeft holds that a connection on which nothing comes is given up.
func TestSlowSendersAreLeft(t *testing.T) {
	l := listen(t, http.NotFoundHandler(), webhook.ListenOptions{HeaderTimeout: time.Millisecond, BodyTimeout: time.Millisecond, Connections: 1})
	for _, begin := range []string{"", "POST / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx"} {
		connection, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(connection, begin)
		if _, err := io.ReadAll(connection); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("after %q: %v", begin, err)
		}
		_ = connection.Close()
	}
}
