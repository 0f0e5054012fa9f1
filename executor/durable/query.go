package durable

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// Summary is a run at a glance.
type Summary struct {
	Run      string               `json:"run"`
	Tenant   string               `json:"tenant,omitempty"`
	Workflow string               `json:"workflow"`
	Document string               `json:"document"`
	Token    string               `json:"token,omitempty"`
	State    idempotency.RunState `json:"state"`
	// Status is how it ended; empty before.
	Status    executor.Status `json:"status,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Created   time.Time       `json:"created"`
	Began     time.Time       `json:"began,omitzero"`
	Ended     time.Time       `json:"ended,omitzero"`
	Cancelled time.Time       `json:"cancelled,omitzero"` // when that was asked for
	// Retention is that of the token, counted from Created.
	Retention time.Duration `json:"-"`
	// HeldUntil is until when the token at least is held by this run; zero: it is not
	// held beyond the end of the run, or not by this run any more.
	HeldUntil time.Time `json:"heldUntil,omitzero"`
	Waiting   *Waiting  `json:"waiting,omitempty"` // what the run waits for; nil: nothing
	// Parked tells why the run is not being executed, although it is neither waiting in
	// line nor ended; empty: it is not parked.
	Parked string `json:"parked,omitempty"`
	Node   string `json:"node,omitempty"` // that executed it last
	Engine string `json:"engine"`
}

const summaryColumns = `id, tenant, workflow, document, token, state, status, reason, created, began, ended, cancelled, retention, waiting, parked, node, engine`

func scanSummary(r row) (s Summary, err error) {
	var created, began, ended, cancelled, retention int64
	var waiting string
	err = r.Scan(&s.Run, &s.Tenant, &s.Workflow, &s.Document, &s.Token, &s.State, &s.Status, &s.Reason,
		&created, &began, &ended, &cancelled, &retention, &waiting, &s.Parked, &s.Node, &s.Engine)
	if err != nil {
		return s, err
	}
	s.Created, s.Began, s.Ended, s.Cancelled = atMilliseconds(created), atMilliseconds(began), atMilliseconds(ended), atMilliseconds(cancelled)
	if s.Retention = time.Duration(retention) * time.Millisecond; s.Retention > 0 {
		s.HeldUntil = s.Created.Add(s.Retention)
	}
	if waiting != "" {
		err = json.Unmarshal([]byte(waiting), &s.Waiting)
	}
	return s, err
}

// Filter says which runs are listed. What is empty does not matter.
type Filter struct {
	Tenant   *string // nil: of all tenants
	Workflow string
	Token    string
	State    idempotency.RunState
	Status   executor.Status
	Parked   bool // only those that are
	// Limit is how many runs a page has; 0: 50, and never more than 1000.
	Limit int
	// After is the Next of the page before; empty: the first page.
	After string
}

// Page is a part of a list of runs, the youngest first.
type Page struct {
	Runs []Summary `json:"runs"`
	Next string    `json:"next,omitempty"` // for Filter.After; empty: there are no more
}

// ErrPage tells that a Filter.After is none that a Page gave.
var ErrPage = errors.New("no list goes on behind this mark; expected the next that a page gave")

// List lists runs.
func (s *Store) List(ctx context.Context, f Filter) (Page, error) {
	switch {
	case f.Limit <= 0:
		f.Limit = 50
	case f.Limit > 1000:
		f.Limit = 1000
	}
	where, arguments, err := f.where()
	if err != nil {
		return Page{}, err
	}
	page := Page{Runs: []Summary{}}
	arguments = append(arguments, f.Limit+1)
	text := "SELECT " + summaryColumns + " FROM weft_run" + where + " ORDER BY created DESC, id DESC LIMIT $" + strconv.Itoa(len(arguments))
	err = s.db.each(ctx, text, arguments, func(r row) error {
		run, err := scanSummary(r)
		page.Runs = append(page.Runs, run)
		return err
	})
	if err != nil {
		return Page{}, fmt.Errorf("list the runs: %w", err)
	}
	if err := s.holdsNow(ctx, page.Runs); err != nil {
		return Page{}, fmt.Errorf("list the runs: %w", err)
	}
	if len(page.Runs) > f.Limit {
		page.Runs = page.Runs[:f.Limit]
		last := page.Runs[f.Limit-1]
		page.Next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", milliseconds(last.Created), last.Run))
	}
	return page, nil
}

func (f Filter) where() (text string, arguments []any, err error) {
	var parts []string
	add := func(condition string, argument any) {
		arguments = append(arguments, argument)
		parts = append(parts, strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(arguments))))
	}
	if f.Tenant != nil {
		add("tenant = ?", *f.Tenant)
	}
	for _, c := range [][2]string{{"workflow", f.Workflow}, {"token", f.Token}, {"state", string(f.State)}, {"status", string(f.Status)}} {
		if c[1] != "" {
			add(c[0]+" = ?", c[1])
		}
	}
	if f.Parked {
		parts = append(parts, "parked <> ''")
	}
	if f.After != "" {
		plain, err := base64.RawURLEncoding.DecodeString(f.After)
		created, id, ok := strings.Cut(string(plain), " ")
		at, parsing := strconv.ParseInt(created, 10, 64)
		if err != nil || parsing != nil || !ok {
			return "", nil, ErrPage
		}
		arguments = append(arguments, at, id)
		n := len(arguments)
		parts = append(parts, fmt.Sprintf("(created < $%d OR created = $%d AND id < $%d)", n-1, n-1, n))
	}
	if len(parts) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(parts, " AND "), arguments, nil
}

// Find gives a run at a glance.
func (s *Store) Find(ctx context.Context, run string) (Summary, error) {
	var found Summary
	there := false
	err := s.db.each(ctx, "SELECT "+summaryColumns+" FROM weft_run WHERE id = $1", []any{run}, func(r row) (err error) {
		there = true
		found, err = scanSummary(r)
		return err
	})
	if err == nil && !there {
		err = ErrNoRun
	}
	one := []Summary{found}
	if err == nil {
		err = s.holdsNow(ctx, one)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("find the run %s: %w", run, err)
	}
	return one[0], nil
}

// holdsNow leaves HeldUntil to those runs of which the tokens are retained: one may be
// over, or was released and may be another's by now.
func (s *Store) holdsNow(ctx context.Context, runs []Summary) error {
	for i := range runs {
		r := &runs[i]
		if r.HeldUntil.IsZero() {
			continue
		}
		var holder idempotency.Holder
		err := idempotency.ErrNotHeld
		if r.Token != "" && r.HeldUntil.After(s.now()) {
			holder, err = s.db.tokens.Holder(ctx, token(r.Tenant, r.Workflow, r.Token))
		}
		if err != nil && !errors.Is(err, idempotency.ErrNotHeld) {
			return err
		}
		if err != nil || holder.Run != r.Run {
			r.HeldUntil = time.Time{}
		}
	}
	return nil
}

// keepResult gives a result as it is kept.
func (s *Store) keepResult(run string, result executor.Result) ([]byte, error) {
	data, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("keep the result: %w", err)
	}
	return s.seal.close(run, data), nil
}

func (s *Store) readResult(run string, kept []byte) (executor.Result, error) {
	data, err := s.seal.open(run, kept)
	if err != nil {
		return executor.Result{}, err
	}
	var result executor.Result
	if err := json.Unmarshal(data, &result); err != nil {
		return executor.Result{}, fmt.Errorf("read the result of run %s: %w", run, err)
	}
	return resultWithAbsent(result), nil
}

// Result gives how a run ended; ended is false where it has not. Passwords and credentials
// in it are masked.
func (s *Store) Result(ctx context.Context, run string) (result executor.Result, ended bool, err error) {
	var state string
	var kept []byte
	found, err := one(ctx, s.db, "SELECT state, result FROM weft_run WHERE id = $1", []any{run}, &state, &kept)
	if err == nil && !found {
		err = ErrNoRun
	}
	if err != nil {
		return executor.Result{}, false, fmt.Errorf("the result of the run %s: %w", run, err)
	}
	if state != string(idempotency.Ended) {
		return executor.Result{}, false, nil
	}
	result, err = s.readResult(run, kept)
	return result, err == nil, err
}

// ReadHeld gives the result that a token's holder has left, where it has ended: the
// run's own data may be gone by then.
func (s *Store) ReadHeld(h idempotency.Holder) (executor.Result, error) {
	return s.readResult(h.Run, h.Result)
}
