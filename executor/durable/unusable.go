package durable

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"
)

// Advice says what whoever looks after the store can do about an error of its database,
// where that is for them to mend: a full disk, a file that cannot be written or read.
// ok is false for every other error.
func Advice(err error) (advice string, ok bool) {
	code, ok := liteCode(err)
	if !ok {
		return "", false
	}
	switch code {
	case sqlite3lib.SQLITE_BUSY:
		return "another process holds it: let that one go on, or end it", true
	case sqlite3lib.SQLITE_FULL:
		return "there is no room for it: free space on its disk", true
	case sqlite3lib.SQLITE_READONLY:
		return "it cannot be written: let this user write the file and its folder", true
	case sqlite3lib.SQLITE_CANTOPEN, sqlite3lib.SQLITE_PERM:
		return "it cannot be opened: let this user read and write the file and its folder", true
	case sqlite3lib.SQLITE_IOERR:
		return "its disk fails, or is full: look at the disk", true
	case sqlite3lib.SQLITE_NOTADB, sqlite3lib.SQLITE_CORRUPT:
		return "it is no SQLite file, or is damaged: name another, or restore it", true
	default:
		return "", false
	}
}

// liteCode gives the primary code of an error of SQLite, which the rest tells more of.
func liteCode(err error) (int, bool) {
	var lite *sqlite3.Error
	switch {
	case errors.Is(err, errLocked):
		return sqlite3lib.SQLITE_BUSY, true
	case errors.As(err, &lite):
		return lite.Code() & 0xff, true
	case errors.Is(err, errDamaged):
		return sqlite3lib.SQLITE_CORRUPT, true
	default:
		return 0, false
	}
}

// errDamaged tells that an SQLite file is not whole.
var errDamaged = errors.New("the file is not whole")

// checkedUpTo is the size in bytes up to which an SQLite file is looked through before
// runs are executed from it: it takes a second for some hundred megabytes.
const checkedUpTo = 1 << 30

// checkWhole looks whether an SQLite file is whole. What SQLite itself sees only when it
// comes by, in the middle of a run, is seen before.
func (d *database) checkWhole(ctx context.Context) error {
	if d.lite == nil {
		return nil
	}
	var pages, size int64
	if _, err := one(ctx, d, "SELECT * FROM pragma_page_count, pragma_page_size", nil, &pages, &size); err != nil || pages*size > checkedUpTo {
		return err
	}
	var found string
	if _, err := one(ctx, d, "PRAGMA quick_check(1)", nil, &found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, found)
	}
	return nil
}

// whyDamaged tells of a file that could not be opened whether it is damaged, where the
// error does not say so.
func (d *database) whyDamaged(ctx context.Context, err error) error {
	if _, ok := liteCode(err); ok {
		return nil
	}
	return d.checkWhole(ctx)
}
