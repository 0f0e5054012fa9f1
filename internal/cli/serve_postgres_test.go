package cli_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// serveStores gives the URLs of fresh stores, by name: SQLite always, PostgreSQL where
// WEFT_TEST_POSTGRES names a server.
func serveStores(t *testing.T) map[string]string {
	t.Helper()
	stores := map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "weft.db")}
	server := os.Getenv("WEFT_TEST_POSTGRES")
	if server == "" {
		t.Log("PostgreSQL is left out: WEFT_TEST_POSTGRES is not set")
		return stores
	}
	name := "weft_test_" + uuid.NewString()[:8]
	do := func(statement string) {
		connection, err := pgx.Connect(context.Background(), server)
		if err == nil {
			_, err = connection.Exec(context.Background(), statement)
			err = errors.Join(err, connection.Close(context.Background()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE DATABASE " + name)
	t.Cleanup(func() { do("DROP DATABASE " + name + " WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	stores["postgres"] = u.String()
	return stores
}
