package projections

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/lib/pq"
)

// awayClasses are classes and codes of PostgreSQL for a server that takes no statements at the moment: connection
// exceptions, insufficient resources (also a full disk), operator intervention, system errors, wrong password, no
// database, read-only.
var awayClasses = []string{"08", "53", "57P", "58", "28", "3D", "25006"}

// lostClasses are those for tables that are not there: no schema, no table, no column.
var lostClasses = []string{"3F000", "42P01", "42703"}

func (t *postgresTables) explain(err error) error {
	if err == nil || unreadable(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var refused *pq.Error
	switch {
	case errors.As(err, &refused) && hasPrefix(string(refused.Code), lostClasses):
		return &HaltError{Reason: "the read models are missing in PostgreSQL at " + t.where(), Advice: "Nothing is lost: " + adviceAgain, Cause: err, lost: true}
	case errors.As(err, &refused) && !hasPrefix(string(refused.Code), awayClasses):
		return err
	case refused != nil || isLost(err):
		return t.unreachable(err)
	}
	return err
}

func hasPrefix(code string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(code, p) {
			return true
		}
	}
	return false
}

// isLost tells an error of the connection.
func isLost(err error) bool {
	var network net.Error
	for _, kind := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET, net.ErrClosed} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.As(err, &network)
}

func (t *postgresTables) unreachable(cause error) error {
	return &UnreachableError{Where: t.where(), Cause: cause}
}

// refused says why the read models cannot be opened, and what to do. No error of the driver holds the password.
func (t *postgresTables) refused(err error) error {
	return fmt.Errorf("read models in PostgreSQL at %s: %w. Is it running, and may the user create schemas in the database? "+
		"Without TLS the DSN says sslmode=disable", t.where(), err)
}
