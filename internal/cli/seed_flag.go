package cli

import (
	"errors"
	"strconv"
)

// seedFlag is a flag that takes a seed.
type seedFlag uint64

// errSeed tells what a seed looks like.
var errSeed = errors.New("expected a seed: a whole number such as 218843089530152")

// String writes the seed (pflag.Value).
func (s *seedFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*s), 10)
}

// Set reads a seed (pflag.Value).
func (s *seedFlag) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errSeed
	}
	*s = seedFlag(n)
	return nil
}

// Type names what the flag takes (pflag.Value).
func (*seedFlag) Type() string { return "uint64" }
