package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// What a start does while the servers that it needs are not there: in a cluster everything starts at once. It ends at
// last, with the reason, so that a wrong address is not waited for in silence; who supervises it starts it again.
const (
	startPatience = 2 * time.Minute
	startAgain    = time.Second
	sayAgain      = 15 * time.Second
)

// patiently opens until it works, fails for good, or patience ends.
func patiently(ctx context.Context, logger *slog.Logger, open func() error) error {
	began, said, last := time.Now(), time.Time{}, ""
	for {
		err := open()
		if err == nil || !mayPass(err) || ctx.Err() != nil || time.Since(began) > startPatience {
			return err
		}
		if text := err.Error(); text != last || time.Since(said) > sayAgain {
			logger.WarnContext(ctx, "the start waits", "for", text)
			said, last = time.Now(), text
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(startAgain):
		}
	}
}

// mayPass says whether an error of a start is one that goes away when another server has started or has a leader.
func mayPass(err error) bool {
	for _, kind := range []error{
		eventstore.ErrUnreachable, eventstore.ErrUnknownOutcome, eventstore.ErrNoStreams, domain.ErrUnavailable, domain.ErrUnknownOutcome, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	var network *net.OpError
	var refused *pq.Error
	switch {
	case errors.As(err, &network):
		return network.Op != "listen"
	case errors.As(err, &refused):
		return slices.Contains(passing, string(refused.Code.Class()))
	}
	return false
}

// passing are the classes of errors with which PostgreSQL says: connection, in each other's way, insufficient resources, locked, starting or
// stopping, trouble of its system or its own.
var passing = []string{"08", "40", "53", "55", "57", "58", "XX"}
