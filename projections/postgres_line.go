package projections

import (
	"context"
	"database/sql/driver"
	"net"
	"sync"
	"time"

	"github.com/lib/pq"
)

// cancelTime is how long PostgreSQL may take to break a statement off when its caller gave up.
const cancelTime = time.Second

// connector makes connections of lib/pq that end when nobody waits for them any more. Those of lib/pq alone wait for a
// server that hangs: for its answer to the request to cancel a statement, and to begin a transaction.
type connector struct{ config pq.Config }

// Connect connects.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := pq.NewConnectorConfig(c.config)
	if err != nil {
		return nil, err
	}
	l := &line{}
	made.Dialer(l)
	defer context.AfterFunc(ctx, l.cut)()
	conn, err := made.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l.connected()
	return &lineConn{conn.(pqConn), l}, nil
}

// Driver is the one of lib/pq.
func (c connector) Driver() driver.Driver { return &pq.Driver{} }

// pqConn is what a connection of lib/pq can do.
type pqConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// lineConn is a connection that can be cut.
type lineConn struct {
	pqConn
	line *line
}

// BeginTx begins a transaction. lib/pq does not look at ctx meanwhile.
func (c *lineConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	defer context.AfterFunc(ctx, c.line.cut)()
	return c.pqConn.BeginTx(ctx, opts)
}

// line dials for one connection of lib/pq: first to connect, then to cancel a statement, of whose caller it learns so
// that he gave up. No connection is used again after that.
type line struct {
	mu   sync.Mutex
	main net.Conn // of the last one that was dialled to connect
	up   bool     // it is connected: what is dialled now is to cancel
	gone bool     // cut
}

// DialContext implements pq.DialerContext.
func (l *line) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if l.isUp() {
		time.AfterFunc(cancelTime, l.cut)
		return dialFor(ctx, network, address)
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn, l.keep(conn)
}

// dialFor makes a connection that lasts for cancelTime at most, whatever deadline it is given.
func dialFor(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cancelTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		time.AfterFunc(cancelTime, func() { _ = conn.Close() }) // it may be closed
	}
	return conn, err
}

// Dial implements pq.Dialer.
func (l *line) Dial(network, address string) (net.Conn, error) {
	return l.DialContext(context.Background(), network, address)
}

// DialTimeout implements pq.Dialer.
func (l *line) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return l.DialContext(ctx, network, address)
}

// keep takes over a connection, unless the line was cut meanwhile.
func (l *line) keep(conn net.Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.main = conn
	if l.gone {
		_ = conn.Close()
		return net.ErrClosed
	}
	return nil
}

func (l *line) connected() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = true
}

func (l *line) isUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// cut closes the connection under the hands of who waits for an answer.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	if l.main != nil {
		_ = l.main.Close() // it may be closed
	}
}
