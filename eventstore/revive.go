package eventstore

import (
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Pauses before the streams are opened again.
const (
	firstRevival = time.Second
	lastRevival  = time.Minute
)

// keepAlive opens the streams of the server again after it could not write. By itself it refuses everything from then on,
// also when the cause is gone; what it acknowledged before is on disk.
func (e *Embedded) keepAlive(log *serverLog) {
	for {
		select {
		case <-e.closing:
			return
		case <-log.troubled:
		}
		for wait := firstRevival; e.server.Healthz(&server.HealthzOptions{}).Status != "ok"; wait = min(2*wait, lastRevival) {
			select {
			case <-e.closing:
				return
			case <-time.After(wait):
			}
			if e.Room() == nil {
				e.revive(log)
			}
		}
	}
}

func (e *Embedded) revive(log *serverLog) {
	config := e.server.JetStreamConfig()
	if config == nil {
		return
	}
	config.StoreDir = e.dir
	log.Warnf("the streams are opened again after trouble with writing")
	if err := e.server.ShutdownJetStream(); err != nil {
		log.Errorf("streams: %v", err)
	}
	if err := e.server.EnableJetStream(config); err != nil {
		log.Errorf("streams: %v", err)
	}
}
