package arazzo

import (
	"hash/maphash"
	"sort"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// appendCanonical appends a text that two nodes share only if they say the same,
// in whatever order their members are.
func (n *Node) appendCanonical(dst []byte) []byte {
	switch n.Kind {
	case value.KindArray:
		dst = append(dst, '[')
		for _, item := range n.Items {
			dst = append(item.appendCanonical(dst), ',')
		}
		return append(dst, ']')
	case value.KindObject:
		sorted := append([]Member(nil), n.Members...)
		sort.Slice(sorted, func(i, j int) bool { return sorted[i].Key.Text < sorted[j].Key.Text })
		dst = append(dst, '{')
		for _, m := range sorted {
			dst = append(strconv.AppendQuote(dst, m.Key.Text), ':')
			dst = append(m.Value.appendCanonical(dst), ',')
		}
		return append(dst, '}')
	case value.KindString:
		return strconv.AppendQuote(dst, n.Text)
	default:
		return append(dst, n.Text...)
	}
}

// mayRepeat tells whether two of the nodes may say the same: most lists are seen
// apart without their canonical texts.
func mayRepeat(nodes []*Node) bool {
	if len(nodes) < 2 {
		return false
	}
	seen := make(map[uint64]bool, len(nodes))
	for _, n := range nodes {
		seen[n.fingerprint()] = true
	}
	return len(seen) < len(nodes)
}

// fingerprints is the seed of all fingerprints.
var fingerprints = maphash.MakeSeed()

// fingerprint gives a number that is the same for nodes of one canonical text, and
// seldom for others.
func (n *Node) fingerprint() uint64 {
	const factor = 0x9E3779B97F4A7C15 // odd, and its bits are well mixed
	print := uint64(n.Kind) + 1
	switch n.Kind {
	case value.KindArray:
		for _, item := range n.Items {
			print = print*factor + item.fingerprint()
		}
	case value.KindObject:
		for _, m := range n.Members { // in whatever order
			print += (maphash.String(fingerprints, m.Key.Text) | 1) * (m.Value.fingerprint() ^ factor)
		}
	default:
		print += maphash.String(fingerprints, n.Text) * factor
	}
	return print
}

// isWhole tells whether a JSON number has an integer as its value, whatever way
// it is written: 5, 5.0 and 5e3 are whole, 5.5 and 5e-1 are not.
func isWhole(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := whole + fraction
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return true
	}
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil {
			return !strings.HasPrefix(exponent, "-")
		}
	}
	return len(significant) <= len(whole)+shift
}

// isNegative tells whether a JSON number is less than zero.
func isNegative(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.HasPrefix(mantissa, "-") && strings.Trim(mantissa, "-0.") != ""
}

// isCount tells whether a JSON number is a whole number that is not negative.
func isCount(number string) bool { return isWhole(number) && !isNegative(number) }

// isPositiveCount tells whether a JSON number is a whole number from 1 on.
func isPositiveCount(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return isCount(number) && strings.Trim(mantissa, "-0.") != ""
}
