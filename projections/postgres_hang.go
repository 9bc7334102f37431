package projections

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

// glanceTime is how long PostgreSQL may take to say where the read models stand. One that takes longer hangs.
const glanceTime = 3 * time.Second

// hang tells the queries in progress that PostgreSQL was found to hang.
type hang struct {
	mu    sync.Mutex
	found chan struct{} // closed and replaced
}

func (h *hang) seen() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.found
}

func (h *hang) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.found)
	h.found = make(chan struct{})
}

// query also ends when a glance finds that PostgreSQL hangs.
func (t *postgresTables) query(ctx context.Context, read func(context.Context, *sqlx.DB) error) error {
	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	go func(hangs <-chan struct{}) {
		select {
		case <-hangs:
			cancel()
		case <-limited.Done():
		}
	}(t.hung.seen())
	return t.answer(ctx, limited, read(limited, t.readers))
}

// glance has a connection of its own, so that it does not wait for queries that take long.
func (t *postgresTables) glance(ctx context.Context, read func(context.Context, *sqlx.DB) error) error {
	limited, cancel := context.WithTimeout(ctx, glanceTime)
	defer cancel()
	defer context.AfterFunc(limited, func() {
		if ctx.Err() == nil {
			t.hung.tell()
		}
	})()
	return t.answer(ctx, limited, read(limited, t.glances))
}

// answer is the error of a query of a caller, with what limited it.
func (t *postgresTables) answer(ctx, limited context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, sql.ErrNoRows) || limited.Err() == nil:
		return err
	case ctx.Err() != nil: // in place of PostgreSQL's own words for it
		return ctx.Err()
	case errors.Is(limited.Err(), context.Canceled):
		return t.unreachable(errors.New("it hangs"))
	}
	return t.unreachable(errors.New("no answer in time"))
}
