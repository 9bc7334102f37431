package eventstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"
)

// settleTime is how old a position is when it is written down: by then the embedded server has it on disk. A loss of power
// costs what was not synced, and that must not look like damage.
const settleTime = 2 * syncInterval

// AdviceLoss says what happened to a log that ends before a position that it had, and what to do first.
const AdviceLoss = "The log has lost commits: it was damaged or cut, for instance after an unclean stop, or an older backup was restored. " +
	"Stop, keep a copy of the whole data folder, and restore the newest backup of the log to a new one (proofload restore). " +
	"Making the read models again, or deleting them, would only hide the loss"

// LossError says that a stream ends before a position that it had.
type LossError struct {
	Stream    string
	Had, Last uint64 // sequences: the highest that was known, and the last that is there
	MarkFile  string // where it was written down; empty: a consumer knew it
}

func (e *LossError) Error() string {
	text := fmt.Sprintf("stream %s ends at %d, and had reached %d: %s", e.Stream, e.Last, e.Had, AdviceLoss)
	if e.MarkFile != "" {
		text += ". Only if what is missing is given up: delete " + e.MarkFile
	}
	return text
}

// Unwrap makes it an ErrAhead.
func (e *LossError) Unwrap() error { return ErrAhead }

// mark is how far a stream is known to have reached. Another stream of the same name was created at another time.
type mark struct {
	Created time.Time `json:"created"`
	Last    uint64    `json:"last"`
}

// marks keeps the marks of the streams in a small file: the server itself does not miss what it lost. The file is
// written once in settleTime at most, and by close.
type marks struct {
	path string // empty: nothing is kept

	mu      sync.Mutex
	known   map[string]mark // by the name of the stream
	settled map[string]mark // is written when the timer ends
	timer   *time.Timer     // nil: nothing waits to be written
	failed  error           // of the last write
}

// check compares the file with a stream, which is known from then on.
func (m *marks) check(stream string, at Position) error {
	if m.path == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return err
	}
	had := m.known[stream]
	if had.Created.Equal(at.Created) && had.Last > at.Last {
		return &LossError{Stream: stream, Had: had.Last, Last: at.Last, MarkFile: m.path}
	}
	m.known[stream] = mark{Created: at.Created}
	m.reached(stream, at.Last)
	return nil
}

// load reads the file, once. One that was cut off by a loss of power says nothing.
func (m *marks) load() error {
	if m.known != nil {
		return nil
	}
	data, err := os.ReadFile(m.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("position of the log: %w", err)
	}
	if json.Unmarshal(data, &m.known) != nil || m.known == nil {
		m.known = map[string]mark{}
	}
	return nil
}

// note says that the stream has reached seq.
func (m *marks) note(stream string, seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reached(stream, seq)
}

func (m *marks) reached(stream string, seq uint64) {
	now, kept := m.known[stream]
	if !kept || seq <= now.Last {
		return
	}
	now.Last = seq
	m.known[stream] = now
	if m.timer == nil {
		m.arm()
	}
}

func (m *marks) arm() {
	m.settled = maps.Clone(m.known)
	m.timer = time.AfterFunc(settleTime, m.tick)
}

// tick writes what has settled, and waits for what came meanwhile.
func (m *marks) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer == nil { // closed
		return
	}
	m.failed = m.write(m.settled)
	m.timer = nil
	if !maps.Equal(m.settled, m.known) {
		m.arm()
	}
}

// close writes all that is known: a server that stops now syncs it.
func (m *marks) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer == nil {
		return m.failed
	}
	m.timer.Stop()
	m.timer = nil
	return m.write(m.known)
}

func (m *marks) write(all map[string]mark) error {
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	fresh := m.path + ".new"
	if err := os.WriteFile(fresh, append(data, '\n'), 0o600); err != nil {
		_ = os.Remove(fresh) // on a full disk it is empty
		return fmt.Errorf("position of the log: %w", err)
	}
	return os.Rename(fresh, m.path)
}
