package projections

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// primary masks the primary code of an extended result code of SQLite.
const primary = 0xff

// unreadable turns an error of SQLite that says that its file is damaged, or is no database, into a *HaltError. Other
// errors pass.
func unreadable(err error, path string) error {
	var refused *sqlite.Error
	if !errors.As(err, &refused) {
		return err
	}
	if code := refused.Code() & primary; code != sqlite3.SQLITE_CORRUPT && code != sqlite3.SQLITE_NOTADB {
		return err
	}
	return &HaltError{
		Reason: "the read models are damaged",
		Advice: fmt.Sprintf("Nothing is lost, they are made again from the log: stop the server, delete %[1]s and the files beside it (%[1]s-wal and %[1]s-shm), "+
			"and start the server again", path),
		Cause: err,
	}
}

// found keeps the damage that a query came upon: the projector may not come upon it for long. Other errors pass.
func (d *DB) found(err error) error {
	err = unreadable(err, d.path)
	var halt *HaltError
	if errors.As(err, &halt) {
		d.progress.breakOff(halt)
	}
	return err
}
