package cli

import (
	"context"
	"fmt"

	"github.com/weft-flow/weft/executor"
)

// ended is a run that has ended, with what it may still get messages for.
type ended struct {
	path, run string
}

// afterEnd takes no more messages, and tells of those that came for runs after their
// ends: each was acknowledged, and changed nothing. That one has the identity of
// another and other content fails the verdict, as it would have in the run.
func (s *session) afterEnd() int {
	s.closeReceiver()
	code := exitOK
	if s.receiver == nil {
		return code
	}
	for _, e := range s.ended {
		after, err := s.receiver.AfterEnd(context.Background(), e.run)
		if err != nil {
			code = worse(code, s.tell(err))
			continue
		}
		same, different := 0, 0
		for _, repeat := range after.Repeats {
			same, different = same+repeat.Same, different+repeat.Different
		}
		s.tellAfterEnd(e, len(after.Messages), "message", "messages")
		s.tellAfterEnd(e, same, "duplicate", "duplicates")
		s.tellAfterEnd(e, different, "message with the identity of another, but other content", "messages with the identity of others, but other content")
		if different > 0 {
			code = worse(code, exitFailed)
		}
	}
	return code
}

func (s *session) tellAfterEnd(e ended, count int, one, several string) {
	if count == 0 {
		return
	}
	what := one
	if count > 1 {
		what = several
	}
	fmt.Fprintf(s.stdio.Err, "weft: %s: after its end the run %s got %d %s; nothing was changed (--linger takes in what comes late)\n", e.path, e.run, count, what)
}

// note keeps a run that has ended.
func (s *session) note(j *job, result executor.Result) {
	if len(j.plan.Mailboxes()) > 0 {
		s.ended = append(s.ended, ended{path: j.path, run: result.Run})
	}
}
