package main

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/proofload/proofload/eventstore"
)

// A start waits for what passes, and for nothing else. The codes are those of PostgreSQL's documentation, appendix A.
func TestWhatAStartWaitsFor(t *testing.T) {
	refused := func(code string) error { return &pq.Error{Code: pqerror.Code(code)} }
	for err, waits := range map[error]bool{
		eventstore.ErrUnreachable: true, eventstore.ErrNoStreams: true, eventstore.ErrUnknownOutcome: true,
		eventstore.ErrRestoring: false, eventstore.ErrDamaged: false, &eventstore.ReplicasError{}: false,
		driver.ErrBadConn: true, io.EOF: true, io.ErrUnexpectedEOF: true,
		&net.OpError{Op: "dial", Err: errors.New("refused")}: true, &net.OpError{Op: "listen", Err: errors.New("in use")}: false,
		refused("57P03"): true, refused("57P01"): true, refused("53300"): true, refused("53100"): true, refused("08006"): true,
		refused("40P01"): true, refused("55000"): true, refused("58030"): true, refused("XX000"): true,
		refused("28P01"): false, refused("3D000"): false, refused("42501"): false, refused("42601"): false,
	} {
		if got := mayPass(fmt.Errorf("a start: %w", err)); got != waits {
			t.Errorf("%v: %v", err, got)
		}
	}
}
