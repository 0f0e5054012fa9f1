package cli_test

import (
	"strings"
	"testing"
)

// TestHelpOfTheTimeout: runs of a store have no limit, and the help does not say one.
func TestHelpOfTheTimeout(t *testing.T) {
	for _, command := range []string{"run", "serve"} {
		code, help := weft(command, "--help")
		_, line, _ := strings.Cut(help, " --timeout ")
		line, _, _ = strings.Cut(line, "\n")
		if code != 0 || !strings.HasSuffix(line, "limit the run; without it 1h0m0s, and runs of a store have no limit") {
			t.Errorf("%s: exit code %d: %s", command, code, line)
		}
	}
}
