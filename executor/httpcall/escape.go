package httpcall

// charset tells which bytes stand as they are.
type charset [256]bool

func chars(extra string) *charset {
	var set charset
	for c := range 256 {
		set[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for i := range len(extra) {
		set[extra[i]] = true
	}
	return &set
}

// escaper writes text with percent-encoding (RFC 3986, section 2.1).
type escaper struct {
	keep *charset
	// triplets tells that a percent sign with two hexadecimal digits is
	// percent-encoding already and stands as it is.
	triplets bool
}

// The ways in which text is escaped, by the place in which it stands.
var (
	// plain keeps only what is unreserved (RFC 3986, section 2.3).
	plain = escaper{keep: chars("-._~")}
	// pathReserved is allowReserved in a path: what would end the segment or the
	// path is escaped all the same.
	pathReserved = escaper{keep: chars("-._~:@!$&'()*+,;=")}
	// queryReserved is allowReserved in a query (RFC 6570, section 3.2.3), but for
	// what would end the value: '#', '&', and '+', which a form reads as a space.
	queryReserved = escaper{keep: chars("-._~:/?[]@!$'()*,;="), triplets: true}
	// pathLiteral and queryLiteral carry text that is a path or a query already.
	pathLiteral  = escaper{keep: chars("-._~:@!$&'()*+,;=/"), triplets: true}
	queryLiteral = escaper{keep: chars("-._~:/?[]@!$&'()*+,;=|"), triplets: true}
	// cookieOctets keeps what a cookie may hold (RFC 6265, section 4.1.1), so that
	// a value that a server set goes back to it unchanged.
	cookieOctets = escaper{keep: chars("!#$%&'()*+-./:<=>?@[]^_`{|}~")}
)

const upperHex = "0123456789ABCDEF"

func (e escaper) append(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if e.keep[c] || c == '%' && e.triplets && isTriplet(s[i:]) {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		from = i + 1
	}
	return append(dst, s[from:]...)
}

func (e escaper) text(s string) string {
	for i := 0; i < len(s); i++ {
		if !e.keep[s[i]] {
			return string(e.append(make([]byte, 0, len(s)+16), s))
		}
	}
	return s
}

func isTriplet(s string) bool {
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
