package durable

import (
	"errors"
	"strings"
	"testing"
)

// TestAStoreThatLacksATableIsNotServed: whichever of its tables is not there is named, and
// no node begins.
func TestAStoreThatLacksATableIsNotServed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		s := openStore(t, url, quickOptions(t))
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		tables := s.db.neededTables()
		if len(tables) < 20 {
			t.Fatalf("only %d tables are looked for: %v", len(tables), tables)
		}
		for _, name := range tables {
			mustExec(t, s.db, "ALTER TABLE "+name+" RENAME TO mislaid")
			err := s.Check(t.Context())
			if !errors.Is(err, ErrIncomplete) || !strings.HasSuffix(err.Error(), "("+name+")") {
				t.Errorf("without %s: %v", name, err)
			}
			schema, bare, found := strings.Cut(name, ".")
			if !found {
				schema, bare = "", name
			} else {
				schema += "."
			}
			mustExec(t, s.db, "ALTER TABLE "+schema+"mislaid RENAME TO "+bare)
		}
		mustExec(t, s.db, "DROP TABLE weft_event")
		if err := s.Drive(t.Context(), DriveOptions{}); !errors.Is(err, ErrIncomplete) {
			t.Errorf("it is driven: %v", err)
		}
	})
}
