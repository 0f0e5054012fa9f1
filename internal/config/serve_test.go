package config

import (
	"strings"
	"testing"
)

// TestAnUnsetTokenMattersToWhoServesAlone has a token whose variable is not set beside
// settings that others need.
func TestAnUnsetTokenMattersToWhoServesAlone(t *testing.T) {
	c, faults := parse("weft.yaml", []byte("run: {maxSteps: 3}\nserve:\n  tokens:\n  - {name: a, token: '${ENV:WEFT_TEST_NOT_SET}', rights: [read]}\n"))
	if len(faults) > 0 || c.Run.MaxSteps.Value != 3 || !c.Serve.Given() {
		t.Fatalf("%+v, %v", c, faults)
	}
	if err := c.Serve.Err(); err == nil || !strings.HasPrefix(err.Error(), "weft.yaml:4:22: ") || !strings.Contains(err.Error(), "WEFT_TEST_NOT_SET") {
		t.Errorf("the error is %v", err)
	}
	t.Setenv("WEFT_TEST_NOT_SET", "0123456789abcdef")
	c, faults = parse("weft.yaml", []byte("serve: {tokens: [{name: a, token: '${ENV:WEFT_TEST_NOT_SET}', rights: [read]}]}\n"))
	if len(faults) > 0 || c.Serve.Err() != nil || c.Serve.Tokens[0].Token != "0123456789abcdef" {
		t.Errorf("%+v, %v", c, faults)
	}
}
