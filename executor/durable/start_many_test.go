package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// answer is what one of many starts came to.
type answer struct {
	Run  string // that was started, or that holds the token
	Won  bool
	Same bool
}

// startMany makes many starts with one token at once, and writes what each came to.
func startMany(ctx context.Context, s *Store, order childOrder) error {
	var err error
	if order.Spec.Inputs, err = value.ParseJSON([]byte(order.Inputs)); err != nil {
		return err
	}
	answers := make([]answer, order.Starts)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			started, err := s.Start(ctx, order.Spec)
			var held *idempotency.HeldError
			switch {
			case err == nil:
				answers[i] = answer{Run: started.Run, Won: true}
			case errors.As(err, &held):
				answers[i] = answer{Run: held.Holder.Run, Same: held.Same}
			default:
				answers[i] = answer{Run: err.Error()}
			}
		})
	}
	all.Wait()
	for _, a := range answers {
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return s.Close()
}

// TestStatement15ManyStartsAtOnce: of 64 starts with one token from 4 processes one
// makes a run; all others name it.
func TestStatement15ManyStartsAtOnce(t *testing.T) {
	const processes, each = 4, 16
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		server, servers := playShop(t, b)
		s := openStore(t, url, quickOptions(t))
		spec := Spec{Bundle: b, Token: "one", Config: executor.Config{Servers: servers}}
		var mu sync.Mutex
		var answers []answer
		var all sync.WaitGroup
		for range processes {
			all.Go(func() {
				lines, _ := child(t, childOrder{URL: url, Spec: spec, Inputs: `{"ref":"r"}`, Starts: each})
				mu.Lock()
				defer mu.Unlock()
				for _, line := range lines {
					var a answer
					if err := json.Unmarshal([]byte(line), &a); err != nil {
						t.Errorf("%q: %v", line, err)
					}
					answers = append(answers, a)
				}
			})
		}
		all.Wait()
		won, run := 0, ""
		for _, a := range answers {
			if a.Won {
				won, run = won+1, a.Run
			}
		}
		if len(answers) != processes*each || won != 1 {
			t.Fatalf("%d answers, %d runs: %+v", len(answers), won, answers)
		}
		for _, a := range answers {
			if a.Run != run || !a.Won && !a.Same {
				t.Errorf("an answer names %+v, the run is %s", a, run)
			}
		}
		page, err := s.List(t.Context(), Filter{})
		if err != nil || len(page.Runs) != 1 {
			t.Fatalf("%d runs, %v", len(page.Runs), err)
		}
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if result, err := s.Wait(ctx, run); err != nil || result.Status != executor.Succeeded || effects(server)["pay"] != 1 {
			t.Errorf("%+v, %v, effects %v", result, err, effects(server))
		}
	})
}
