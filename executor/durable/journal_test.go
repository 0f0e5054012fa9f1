package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/weft-flow/weft/executor"
)

// journalOf gives what the journal holds of a run, but for times and what is recorded.
func journalOf(t *testing.T, s *Store, run string) (lines []string) {
	t.Helper()
	err := s.db.each(t.Context(), s.db.ofJournal(ofJournal(`SELECT function_id, function_name, output, error IS NULL, started_at_epoch_ms > 0 AND completed_at_epoch_ms >= started_at_epoch_ms,
		serialization, application_name FROM JOURNAL.operation_outputs WHERE workflow_uuid = $1 ORDER BY function_id`)), []any{run}, func(r row) error {
		var number int
		var name, output, serialization, application string
		var isNoError, isTimed bool
		err := r.Scan(&number, &name, &output, &isNoError, &isTimed, &serialization, &application)
		lines = append(lines, fmt.Sprint(number, name, output[:1], isNoError, isTimed, serialization, application))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestRecordsAreThoseOfTheJournal: what an execution adds by itself is what the journal
// would have, and is read by it.
func TestRecordsAreThoseOfTheJournal(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, keyedFlow)
		server, servers := playShop(t, b)
		var journals [2][]string
		for n, itself := range []bool{false, true} {
			s := openStore(t, url, quickOptions(t))
			if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
				t.Fatal(err)
			}
			if !s.driver.writesRecords {
				t.Fatal("the tables of the journal are not those that are known")
			}
			s.driver.writesRecords = itself
			run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, fmt.Sprintf(`{"ref":"%d"}`, n)).Run
			if result := end(t, s, run); result.Status != executor.Succeeded {
				t.Fatalf("%+v", result)
			}
			awaitRecorded(t, s, run)
			journals[n] = journalOf(t, s, run)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(journals[0]) < 9 || !slices.Equal(journals[0], journals[1]) {
			t.Errorf("the journal holds\n%s\nby itself\n%s", strings.Join(journals[0], "\n"), strings.Join(journals[1], "\n"))
		}
		if n := effects(server)["createOrder"]; n != 2 {
			t.Errorf("%d orders", n)
		}
	})
}

// TestWhoDoesNotOwnARunAddsNothing: a record is added for the owner alone, once, and is
// found again where its answer was lost.
func TestWhoDoesNotOwnARunAddsNothing(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		before := journalOf(t, s, run)
		x := &execution{store: s, driver: s.driver, ctx: s.dbos, run: run, records: len(before)}
		for _, word := range []string{"", "another"} {
			x.owned.word = word
			_, err := x.add("late", false, func(context.Context, conn) (string, error) { return "={}", nil })
			if !errors.Is(err, dbos.ErrConflictingWorkflowID) {
				t.Errorf("added as %q: %v", word, err)
			}
			if err := x.addOutcome("late", "={}", s.now()); !errors.Is(err, dbos.ErrConflictingWorkflowID) {
				t.Errorf("an outcome is added as %q: %v", word, err)
			}
		}
		if after := journalOf(t, s, run); !slices.Equal(before, after) {
			t.Errorf("the journal holds\n%s", strings.Join(after, "\n"))
		}
		if found, err := one(t.Context(), s.db, s.db.ofJournal(readOwner), []any{run}, &x.owned.word); err != nil || !found {
			t.Fatal(err)
		}
		if err := x.addOutcome("late", "={}", s.now()); err != nil {
			t.Error(err)
		}
		text, err := x.add("late", true, func(context.Context, conn) (string, error) { return "", errors.New("done again") })
		if err != nil || text != "={}" {
			t.Errorf("found again is %q, %v", text, err)
		}
		if after := journalOf(t, s, run); len(after) != len(before)+1 {
			t.Errorf("the journal holds\n%s", strings.Join(after, "\n"))
		}
	})
}
