package sqlite_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/weft-flow/weft/idempotency/sqlite"
	"github.com/weft-flow/weft/idempotency/storetest"
)

func BenchmarkBeginAndComplete(b *testing.B) {
	db := openDB(b, file(b))
	db.SetMaxOpenConns(1) // as Open does
	s, err := sqlite.New(b.Context(), db)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := db.ExecContext(b.Context(), "CREATE TABLE bare (id BLOB PRIMARY KEY, row BLOB)"); err != nil {
		b.Fatal(err)
	}
	insert, err := db.PrepareContext(b.Context(), "INSERT INTO bare VALUES (?, NULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = insert.Close() }()
	update, err := db.PrepareContext(b.Context(), "UPDATE bare SET row = ? WHERE id = ?")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = update.Close() }()
	storetest.Bench(b, s, func(n int64, row []byte) error {
		id := digest(n)
		if _, err := insert.ExecContext(b.Context(), id); err != nil {
			return err
		}
		_, err := update.ExecContext(b.Context(), row, id)
		return err
	})
}

// digest spreads numbers as the ids of records are.
func digest(n int64) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
	return sum[:]
}
