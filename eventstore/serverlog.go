package eventstore

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// serverLog hands what the embedded server has to say to slog. Notices are for debugging: users did not start a
// server. The last fatal error is kept, because the server does not return it.
type serverLog struct {
	to    *slog.Logger
	fatal atomic.Pointer[string]

	troubled chan struct{} // has one when there was an error since it was last taken
}

func newServerLog(to *slog.Logger) *serverLog {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &serverLog{to: to, troubled: make(chan struct{}, 1)}
}

// cause is the last fatal error, or empty.
func (l *serverLog) cause() string {
	if text := l.fatal.Load(); text != nil {
		return *text
	}
	return ""
}

// Fatalf does not end the process: what runs in it decides.
func (l *serverLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.fatal.Store(&text)
	l.log(slog.LevelError, format, v)
}

// Noticef logs at debug level.
func (l *serverLog) Noticef(format string, v ...any) { l.log(slog.LevelDebug, format, v) }

// Warnf logs a warning.
func (l *serverLog) Warnf(format string, v ...any) { l.log(slog.LevelWarn, format, v) }

// Errorf logs an error.
func (l *serverLog) Errorf(format string, v ...any) {
	l.log(slog.LevelError, format, v)
	select {
	case l.troubled <- struct{}{}:
	default:
	}
}

// Debugf is never called: the server is not told to debug.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef is never called: the server is not told to trace.
func (l *serverLog) Tracef(string, ...any) {}

func (l *serverLog) log(level slog.Level, format string, v []any) {
	l.to.Log(context.Background(), level, "nats: "+fmt.Sprintf(format, v...))
}
