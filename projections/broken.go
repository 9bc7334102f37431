package projections

import "errors"

// UnreachableError says that the database does not answer at the moment, or cannot do what it should. Nothing is lost by it;
// the same query may be sent again.
type UnreachableError struct {
	Where string // host and database, no password
	Cause error
	Look  string // what to look at; empty: whether it runs
}

func (e *UnreachableError) Error() string {
	if e.Look != "" {
		return "PostgreSQL at " + e.Where + " does not do its work: " + e.Cause.Error() + ". That is, " + e.Look
	}
	return "PostgreSQL at " + e.Where + " cannot be reached: " + e.Cause.Error()
}

func (e *UnreachableError) Unwrap() error { return e.Cause }

// unreadable tells an error that lasts for more than one query.
func unreadable(err error) bool {
	var halt *HaltError
	var unreachable *UnreachableError
	return errors.As(err, &halt) || errors.As(err, &unreachable)
}

// found keeps the damage that a query came upon: the projector may not come upon it for long.
func (d *DB) found(err error) error {
	if err = d.tables.explain(err); unreadable(err) {
		d.progress.breakOff(err)
	}
	return err
}
