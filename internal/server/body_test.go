package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestABodyThatBreaksOff has callers that close their sending side in the middle of a
// body and still listen: they are told, and nothing is taken for done.
func TestABodyThatBreaksOff(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("wait", "r")
	for _, target := range []string{"/v1/runs", "/v1/runs/" + run + "/settle", "/v1/runs/" + run + "/messages"} {
		for _, framing := range []string{"Content-Length: 500\r\n\r\n{\"doc", "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"doc"} {
			answer := s.halfClosed("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + framing)
			if answer.StatusCode != http.StatusBadRequest || !strings.Contains(answer.text("detail"), "broke off") {
				t.Errorf("%s %q: %d %s", target, framing, answer.StatusCode, answer.body)
			}
			checkAnswer(t, "POST", target, answer)
		}
	}
	if runs := s.want(200, "GET", "/v1/runs", "").json("runs").([]any); len(runs) != 1 {
		t.Errorf("%d runs, want the one that was started", len(runs))
	}
}

// halfClosed sends bytes, says that no more will come, and reads an answer.
func (s *stand) halfClosed(text string) reply {
	s.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, text); err != nil {
		s.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		s.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	answer := reply{Response: response}
	if answer.body, err = io.ReadAll(response.Body); err != nil {
		s.Fatal(err)
	}
	return answer
}

// stalled is a body whose rest does not come in time.
type stalled struct{}

// Read gives the error of a connection whose deadline has passed.
func (stalled) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "read", Err: fmt.Errorf("wrapped: %w", os.ErrDeadlineExceeded)}
}

func TestABodyThatStalls(t *testing.T) {
	s := newStand(t, nil)
	request := httptest.NewRequest("POST", "http://localhost/v1/runs", io.MultiReader(strings.NewReader(`{"doc`), stalled{}))
	request.RemoteAddr = "127.0.0.1:1"
	answer := httptest.NewRecorder()
	s.server.ServeHTTP(answer, request)
	if answer.Code != http.StatusRequestTimeout || answer.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
