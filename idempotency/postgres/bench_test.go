package postgres_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/weft-flow/weft/idempotency/storetest"
)

func BenchmarkBeginAndComplete(b *testing.B) {
	pool := openPool(b, schema(b))
	s := openStore(b, pool)
	if _, err := pool.Exec(b.Context(), "CREATE TABLE bare (id bytea PRIMARY KEY, row bytea)"); err != nil {
		b.Fatal(err)
	}
	storetest.Bench(b, s, func(n int64, row []byte) error {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
		if _, err := pool.Exec(b.Context(), "INSERT INTO bare VALUES ($1, NULL)", sum[:]); err != nil {
			return err
		}
		_, err := pool.Exec(b.Context(), "UPDATE bare SET row = $1 WHERE id = $2", row, sum[:])
		return err
	})
}
