package httpcall

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// written gives the bytes that a client and a server write.
func written(write func(client, server *http2.Framer)) (client, server []byte) {
	var c, s bytes.Buffer
	c.WriteString(http2.ClientPreface)
	write(http2.NewFramer(&c, nil), http2.NewFramer(&s, nil))
	return c.Bytes(), s.Bytes()
}

func TestStreamsTellWhatBecameOfARequest(t *testing.T) {
	headers := func(f *http2.Framer, stream uint32) {
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte("block"), EndHeaders: true})
	}
	tests := []struct {
		name  string
		write func(client, server *http2.Framer)
		want  string
	}{
		{"settings and pings alone", func(c, s *http2.Framer) {
			c.WriteSettings()
			c.WriteSettingsAck()
			c.WritePing(true, [8]byte{})
			c.WriteWindowUpdate(0, 1)
			s.WriteSettings()
		}, ""},
		{"a request", func(c, s *http2.Framer) { headers(c, 3); c.WriteData(3, true, []byte("body")) }, "headers"},
		{"refused", func(c, s *http2.Framer) { headers(c, 3); s.WriteRSTStream(3, http2.ErrCodeRefusedStream) }, "headers refused"},
		{"another stream refused", func(c, s *http2.Framer) { headers(c, 3); s.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, "headers"},
		{"another code", func(c, s *http2.Framer) { headers(c, 3); s.WriteRSTStream(3, http2.ErrCodeProtocol) }, "headers"},
		{"passed over", func(c, s *http2.Framer) {
			headers(c, 3)
			s.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
			s.WriteGoAway(1, http2.ErrCodeNo, []byte("going away"))
			s.WritePing(false, [8]byte{})
		}, "headers passed-over"},
		{"not passed over", func(c, s *http2.Framer) { headers(c, 3); s.WriteGoAway(3, http2.ErrCodeInternal, nil) }, "headers"},
		{"passed over before the request", func(c, s *http2.Framer) { s.WriteGoAway(1, http2.ErrCodeNo, nil); headers(c, 3) }, "headers passed-over"},
	}
	for _, test := range tests {
		client, server := written(test.write)
		for _, size := range []int{1, 2, 7, 9, 10, 13, 1000} {
			t.Run(fmt.Sprintf("%s in pieces of %d", test.name, size), func(t *testing.T) {
				s := newStreams()
				for piece := range pieces(client, size) {
					s.write(piece)
				}
				for piece := range pieces(server, size) {
					s.read(piece)
				}
				var got []string
				if s.headers {
					got = append(got, "headers")
				}
				if s.refused {
					got = append(got, "refused")
				}
				if s.passedOver() {
					got = append(got, "passed-over")
				}
				if strings.Join(got, " ") != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		}
	}
}

func pieces(data []byte, size int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			n := min(size, len(data))
			if !yield(data[:n]) {
				return
			}
			data = data[n:]
		}
	}
}

func FuzzFrames(f *testing.F) {
	_, server := written(func(_, s *http2.Framer) { s.WriteSettings(); s.WriteGoAway(1, http2.ErrCodeNo, nil) })
	f.Add(server, 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		whole, split := newStreams(), newStreams()
		whole.read(data)
		for piece := range pieces(data, size&15+1) {
			split.read(piece)
		}
		if whole.in != split.in || whole.goAway != split.goAway || whole.last != split.last {
			t.Errorf("whole %+v, in pieces %+v", whole, split)
		}
	})
}
