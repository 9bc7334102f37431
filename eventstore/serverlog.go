package eventstore

import (
	"fmt"
	"log/slog"
)

// serverLog hands what the embedded server has to say to slog. Notices are for debugging: users did not start a server.
type serverLog struct{ to *slog.Logger }

func (l serverLog) Noticef(format string, v ...any) { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l serverLog) Warnf(format string, v ...any)   { l.to.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l serverLog) Errorf(format string, v ...any)  { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l serverLog) Fatalf(format string, v ...any)  { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l serverLog) Debugf(format string, v ...any)  { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l serverLog) Tracef(string, ...any)           {}
