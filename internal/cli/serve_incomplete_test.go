package cli_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/executor/durable"
)

// TestAStoreThatIsNotWholeIsNotServed: the table that it lacks is named, before any run is
// executed.
func TestAStoreThatIsNotWholeIsNotServed(t *testing.T) {
	s := newShop(t)
	file := filepath.Join(s.dir, "weft.db")
	store, err := durable.Open(t.Context(), "sqlite:"+file, durable.Options{})
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "DROP TABLE weft_event")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	flow := filepath.Join(s.dir, "flows", "shop.arazzo.yaml")
	says := "the store lacks tables: restore a whole copy of it (weft_event)"
	refused(t, says, "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+file, flow)
	refused(t, says, "run", "--store", "sqlite:"+file, "-i", "ref=r", flow)
}
