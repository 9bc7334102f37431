package eventstore

import (
	"fmt"
	"log/slog"
	"sync/atomic"
)

// serverLog hands what the embedded server has to say to slog. Notices are for debugging: users did not start a
// server. The last fatal error is kept, because the server does not return it.
type serverLog struct {
	to    *slog.Logger
	fatal atomic.Pointer[string]
}

func newServerLog(to *slog.Logger) *serverLog {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &serverLog{to: to}
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
	l.to.Error("nats: " + text)
}

func (l *serverLog) Noticef(format string, v ...any) {
	l.to.Debug("nats: " + fmt.Sprintf(format, v...))
}
func (l *serverLog) Warnf(format string, v ...any)  { l.to.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any) { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l *serverLog) Debugf(format string, v ...any) { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *serverLog) Tracef(string, ...any)          {}
