package durable

import (
	"errors"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"
)

// Advice says what whoever looks after the store can do about an error of its database,
// where that is for them to mend: a full disk, a file that cannot be written or read.
// ok is false for every other error.
func Advice(err error) (advice string, ok bool) {
	var lite *sqlite3.Error
	if !errors.As(err, &lite) {
		return "", false
	}
	switch lite.Code() & 0xff { // the rest tells more of the same
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
