package durable

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrIncomplete tells that a store has not all of its tables, as after a part of a copy was
// restored: what would be kept in them cannot be.
var ErrIncomplete = errors.New("the store lacks tables: restore a whole copy of it")

// otherTables are those that the store needs beside its own: of the tokens, and of the
// journal those that every run is recorded in.
var (
	tokenTables   = []string{"weft_idempotency_version", "weft_record", "weft_token"}
	journalTables = []string{"workflow_status", "operation_outputs"}
)

var madeTable = regexp.MustCompile(`CREATE TABLE (\w+)`)

// neededTables names the tables of a store, those of the journal with its schema.
func (d *database) neededTables() []string {
	all := append([]string{"weft_durable_version"}, tokenTables...)
	for _, migration := range migrations {
		for _, made := range madeTable.FindAllStringSubmatch(migration, -1) {
			all = append(all, made[1])
		}
	}
	for _, name := range journalTables {
		if d.lite == nil {
			name = "dbos." + name
		}
		all = append(all, name)
	}
	return all
}

// Check asks the database whether it holds all that runs are kept in. The error wraps
// ErrIncomplete where it does not.
func (s *Store) Check(ctx context.Context) error {
	lacking, err := s.db.lacking(ctx)
	if err != nil {
		return fmt.Errorf("look for the tables of the store: %w", err)
	}
	if len(lacking) > 0 {
		return fmt.Errorf("%w (%s)", ErrIncomplete, strings.Join(lacking, ", "))
	}
	return nil
}

// lacking names the tables that a store needs and that are not there.
func (d *database) lacking(ctx context.Context) (names []string, err error) {
	needed := d.neededTables()
	if d.lite == nil {
		err = d.each(ctx, "SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL", []any{needed}, func(r row) error {
			names = append(names, "")
			return r.Scan(&names[len(names)-1])
		})
		return names, err
	}
	err = d.each(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'", nil, func(r row) error {
		var there string
		err := r.Scan(&there)
		needed = slices.DeleteFunc(needed, func(name string) bool { return name == there })
		return err
	})
	return needed, err
}
