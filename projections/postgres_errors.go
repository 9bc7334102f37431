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

// ourClasses are classes and codes of PostgreSQL for a statement that is wrong, whatever the state of the server is. All other
// errors are those of a server that cannot do at the moment what it should.
var ourClasses = []string{"0A", "21", "22", "23", "24", "25", "26", "34", "42"}

// theirClasses are exceptions to them: read-only, too slow in a transaction, no right.
var theirClasses = []string{"25006", "25P03", "25P04", "42501"}

// looks say what to look at, by the first class or code that fits.
var looks = []struct{ class, look string }{
	{"08", ""}, // it cannot be reached
	{"53100", "its disk is full: make room there"},
	{"53200", "it has no memory left"},
	{"53300", "all its connections are taken: see who holds them, or raise max_connections"},
	{"53", "it has no room, no memory or no connection left"},
	{"25006", "it takes no writes: is it a standby, or set to read only?"},
	{"25P", "it ended a transaction that took too long"},
	{"28", "it refuses the user or the password"},
	{"3D", "there is no such database"},
	{"40", "two statements were in each other's way; nothing has to be done"},
	{"42501", "the user lacks a right: the schema of the read models should belong to it"},
	{"55", "something is locked, or it was told to take no connections"},
	{"57014", "it broke the statement off: is statement_timeout set?"},
	{"57", "it is starting or stopping, or was told to end the connection"},
	{"", "its log says why; often its disk is full or fails"},
}

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
	case errors.As(err, &refused) && hasPrefix(string(refused.Code), ourClasses) && !hasPrefix(string(refused.Code), theirClasses):
		return err
	case refused != nil:
		return &UnreachableError{Where: t.where(), Cause: err, Look: lookOf(string(refused.Code))}
	case isLost(err):
		return t.unreachable(err)
	}
	return err
}

func lookOf(code string) string {
	for _, l := range looks {
		if strings.HasPrefix(code, l.class) {
			return l.look
		}
	}
	return ""
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
