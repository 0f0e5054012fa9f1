package httpcall

import "encoding/binary"

// The HTTP/2 frames and codes that tell what became of a request (RFC 9113,
// sections 6 and 7).
const (
	frameHeaders   = 0x1
	frameRSTStream = 0x3
	frameGoAway    = 0x7

	codeRefusedStream = 0x7

	// prefaceLength is that of what a client says first.
	prefaceLength = len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
)

// streams watches the frames of a connection that carries one request at a time.
type streams struct {
	out, in frameScanner
	headers bool   // a HEADERS frame of this exchange left, or is being written
	earlier bool   // headers before the present write
	stream  uint32 // its stream
	refused bool
	goAway  bool
	last    uint32 // of the GOAWAY
}

func newStreams() *streams {
	return &streams{out: frameScanner{skip: prefaceLength}}
}

func (s *streams) begin() { s.headers, s.stream, s.refused = false, 0, false }

// passedOver tells that the server said it did not look at the stream and never
// will (RFC 9113, section 6.8).
func (s *streams) passedOver() bool { return s.headers && s.goAway && s.last < s.stream }

// write takes what is about to be written; unwrite takes it back where not a byte
// of it left.
func (s *streams) write(p []byte) {
	s.earlier = s.headers
	s.out.scan(p, func(f frame) {
		if f.kind == frameHeaders && !s.headers {
			s.headers, s.stream = true, f.stream
		}
	})
}

func (s *streams) unwrite() { s.headers = s.earlier }

func (s *streams) read(p []byte) {
	s.in.scan(p, func(f frame) {
		switch {
		case f.kind == frameRSTStream && s.headers && f.stream == s.stream:
			s.refused = f.word == codeRefusedStream
		case f.kind == frameGoAway:
			s.goAway, s.last = true, f.word&^(1<<31)
		}
	})
}

// frame is the head of a frame with the first word of its payload.
type frame struct {
	kind   byte
	stream uint32
	word   uint32
}

// frameScanner finds the frames in a stream of bytes that comes in any pieces.
type frameScanner struct {
	skip int // bytes of a payload still to come
	head [9 + 4]byte
	have int // of head
}

func (s *frameScanner) scan(p []byte, found func(frame)) {
	for len(p) > 0 {
		if s.skip > 0 {
			n := min(s.skip, len(p))
			s.skip -= n
			p = p[n:]
			continue
		}
		n := copy(s.head[s.have:s.want()], p)
		s.have += n
		p = p[n:]
		if s.have == s.want() {
			found(s.frame())
			s.skip = s.length() - (s.have - 9)
			s.have = 0
		}
	}
}

// length is that of the payload; only known once the head is there.
func (s *frameScanner) length() int {
	return int(s.head[0])<<16 | int(s.head[1])<<8 | int(s.head[2])
}

// want is how many bytes are collected: the head, then up to a word of payload.
func (s *frameScanner) want() int {
	if s.have < 9 {
		return 9
	}
	return 9 + min(s.length(), 4)
}

func (s *frameScanner) frame() frame {
	f := frame{kind: s.head[3], stream: binary.BigEndian.Uint32(s.head[5:9]) &^ (1 << 31)}
	if s.have == len(s.head) {
		f.word = binary.BigEndian.Uint32(s.head[9:])
	}
	return f
}
