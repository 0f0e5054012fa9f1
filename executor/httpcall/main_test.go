package httpcall

import (
	"testing"

	"go.uber.org/goleak"
)

// No exchange leaves a goroutine behind once its client is closed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
