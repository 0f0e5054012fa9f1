package credential

import (
	"testing"

	"go.uber.org/goleak"
)

// Nobody who waited for a token leaves anything behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
