package relational

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

var errBroken = errors.New("the database is broken")

// fake is a database that runs statements by their names. A statement that it does not
// know changes nothing and finds nothing; the one named broken fails.
type fake struct {
	ran    []string
	broken string
	change map[string]int
	rows   map[string][]any
}

func (f *fake) run(statement string) error {
	f.ran = append(f.ran, statement)
	if statement == f.broken {
		return errBroken
	}
	return nil
}

func (f *fake) Exec(_ context.Context, statement string, _ ...any) (int, error) {
	return f.change[statement], f.run(statement)
}

func (f *fake) One(_ context.Context, statement string, _ []any, into ...any) (bool, error) {
	if err := f.run(statement); err != nil {
		return false, err
	}
	row, found := f.rows[statement]
	if found {
		fill(into, row)
	}
	return found, nil
}

func (f *fake) Each(_ context.Context, statement string, _ []any, row func(func(...any) error) error) error {
	if err := f.run(statement); err != nil {
		return err
	}
	if values, found := f.rows[statement]; found {
		return row(func(into ...any) error { fill(into, values); return nil })
	}
	return nil
}

func fill(into, row []any) {
	for i, value := range row {
		switch target := into[i].(type) {
		case *string:
			*target = value.(string)
		case *[]byte:
			*target = value.([]byte)
		case *int64:
			*target = value.(int64)
		case *bool:
			*target = value.(bool)
		case *int:
			*target = value.(int)
		case *idempotency.RunState:
			*target = idempotency.RunState(value.(string))
		}
	}
}

// names are statements that are called like their fields.
var names = Statements{
	InsertRecord: "InsertRecord", SelectRecord: "SelectRecord", ReplaceRecord: "ReplaceRecord", HoldRecord: "HoldRecord",
	CompleteRecord: "CompleteRecord", CompletedRecord: "CompletedRecord", ReleaseRecord: "ReleaseRecord",
	ExistsRecord: "ExistsRecord", TakeRecord: "TakeRecord", LapsedRecords: "LapsedRecords",
	InsertToken: "InsertToken", SelectToken: "SelectToken", ShowToken: "ShowToken", ReplaceToken: "ReplaceToken",
	MarkToken: "MarkToken", EndToken: "EndToken", FreeToken: "FreeToken",
	PurgeRecords: "PurgeRecords", PurgeTokens: "PurgeTokens",
}

var (
	start    = idempotency.Start{Claim: idempotency.Claim{Key: idempotency.RecordKey{Key: "k"}, Owner: "a"}, Lease: time.Minute}
	tokens   = idempotency.TokenClaim{Token: idempotency.Token{Name: "n"}, Run: "r"}
	print    = make([]byte, 32)
	overRow  = []any{"b", print, int64(1), "", true, true, []byte(nil)}
	freeRow  = []any{"q", print, "ended", "", int64(1), int64(0), true, []byte(nil)}
	shortRow = []any{"q", print[:3], "ended", "", int64(1), int64(0), true, []byte(nil)}
)

// verbs call each verb once.
var verbs = map[string]func(context.Context, idempotency.Store) error{
	"begin": func(ctx context.Context, s idempotency.Store) error { _, err := s.Begin(ctx, start); return err },
	"hold": func(ctx context.Context, s idempotency.Store) error {
		return s.Hold(ctx, start.Claim, time.Minute, "")
	},
	"complete": func(ctx context.Context, s idempotency.Store) error {
		return s.Complete(ctx, start.Claim, nil, time.Hour)
	},
	"release": func(ctx context.Context, s idempotency.Store) error { return s.Release(ctx, start.Claim) },
	"take over": func(ctx context.Context, s idempotency.Store) error {
		return s.TakeOver(ctx, idempotency.Takeover{Key: start.Key, From: "a", To: "b", Lease: time.Minute})
	},
	"lapsed": func(ctx context.Context, s idempotency.Store) error { _, err := s.Lapsed(ctx, 1); return err },
	"claim":  func(ctx context.Context, s idempotency.Store) error { _, err := s.Claim(ctx, tokens); return err },
	"holder": func(ctx context.Context, s idempotency.Store) error {
		_, err := s.Holder(ctx, tokens.Token)
		return err
	},
	"mark": func(ctx context.Context, s idempotency.Store) error {
		return s.Mark(ctx, tokens.Token, "r", idempotency.Running, "")
	},
	"end":   func(ctx context.Context, s idempotency.Store) error { return s.End(ctx, tokens.Token, "r", nil) },
	"free":  func(ctx context.Context, s idempotency.Store) error { return s.Free(ctx, tokens.Token, "r") },
	"purge": func(ctx context.Context, s idempotency.Store) error { _, err := s.Purge(ctx, 1); return err },
}

// TestAFailingStatementIsNeverAnAnswer breaks each statement in turn, with rows there
// that make the verbs go their longest way.
func TestAFailingStatementIsNeverAnAnswer(t *testing.T) {
	broken := map[string]bool{}
	for verb, call := range verbs {
		for _, statement := range names.All() {
			f := &fake{broken: statement, rows: map[string][]any{"SelectRecord": overRow, "SelectToken": freeRow}}
			err := call(t.Context(), New(f, &names))
			for _, ran := range f.ran {
				if ran != statement {
					continue
				}
				broken[statement] = true
				if !errors.Is(err, errBroken) || errors.Is(err, idempotency.ErrFenced) || errors.Is(err, idempotency.ErrNotHeld) {
					t.Errorf("%s, %s fails: %v", verb, statement, err)
				}
			}
		}
	}
	if len(broken) != len(names.All()) {
		t.Errorf("of %d statements only %v were broken", len(names.All()), broken)
	}
}

// TestAVerbThatOthersKeepForestallingGivesUp has the row change between any two
// statements, for ever.
func TestAVerbThatOthersKeepForestallingGivesUp(t *testing.T) {
	for what, rows := range map[string]map[string][]any{
		"removed":  nil,
		"replaced": {"SelectRecord": overRow, "SelectToken": freeRow},
	} {
		for _, verb := range []string{"begin", "claim"} {
			f := &fake{rows: rows}
			err := verbs[verb](t.Context(), New(f, &names))
			if err == nil || !strings.Contains(err.Error(), "others changed it") || len(f.ran) < 2*attempts {
				t.Errorf("%s, %s after each look: %v, after %d statements", verb, what, err, len(f.ran))
			}
		}
	}
}

func TestAFingerprintOfAnotherLengthIsAnError(t *testing.T) {
	cut := append([]any{"b", print[:3]}, overRow[2:]...)
	lapsed := []any{"", "", "k", "b", print[:3], int64(1), ""}
	f := &fake{rows: map[string][]any{"SelectRecord": cut, "LapsedRecords": lapsed, "SelectToken": shortRow, "ShowToken": shortRow}}
	for _, verb := range []string{"begin", "lapsed", "claim", "holder"} {
		if err := verbs[verb](t.Context(), New(f, &names)); err == nil || !strings.Contains(err.Error(), "3 bytes") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestDurationsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		0: 0, 1: 1, time.Millisecond - 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, time.Hour: 3_600_000,
		1<<63 - 1: 9_223_372_036_855,
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("%v is %d ms, want %d", d, got, want)
		}
	}
}
