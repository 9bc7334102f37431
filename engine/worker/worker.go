package worker

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/eventstore"
)

// The consumer that all workers share.
const (
	consumerName  = "engine-run"
	runs          = "evt.*.run.*"
	ackWait       = 5 * time.Second
	maxAckPending = 1000
)

// stopTimeout is how long a stop waits until every run is handed back.
const stopTimeout = 3 * time.Second

// newerAfter is how long a run that is pinned to a newer engine waits for the first time before it is delivered again. Its four
// deliveries leave five minutes for an upgrade.
const newerAfter = 30 * time.Second

// Config is what a worker needs.
type Config struct {
	Store    *eventstore.Store
	Commands *commands.Commands
	Logger   *slog.Logger     // nil: none
	Name     string           // stands in RunStarted
	Slots    int              // runs at the same time; 0: one for each processor
	Now      func() time.Time // paces the progress; nil: none is told
}

// Worker runs the engine for the requests on the stream.
type Worker struct {
	Config
	run     func(context.Context, engine.Input) (*engine.Result, error) // Run
	newest  int                                                         // the newest engine version that it has
	newer   time.Duration
	ackWait time.Duration
	working working
}

// New returns a worker. It does nothing before Run.
func New(c Config) (*Worker, error) {
	if c.Store == nil || c.Commands == nil || c.Name == "" {
		return nil, fmt.Errorf("a worker needs a store, commands and a name")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Slots == 0 {
		c.Slots = runtime.GOMAXPROCS(0)
	}
	return &Worker{Config: c, run: Run, newest: engine.Newest, newer: newerAfter, ackWait: ackWait}, nil
}

// Run works until ctx is done. Then it stops the engine where it is and hands the runs back to other workers.
func (w *Worker) Run(ctx context.Context) error {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: stopTimeout}, w.routerLog())
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	// The first is the outermost: what the recoverer makes of a panic comes to failPanicked.
	router.AddMiddleware(middleware.CorrelationID, w.failPanicked, middleware.Recoverer)
	messages := &subscriber{open: w.consumer, slots: w.Slots, newer: w.newer, heartbeat: w.ackWait / 3, log: w.Logger}
	router.AddConsumerHandler("runs", runs, messages, w.handle)
	stop, err := w.Commands.ListenCancels(w.working.cancel)
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	defer stop()
	if err := router.Run(ctx); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}

func (w *Worker) consumer(ctx context.Context, subject string) (jetstream.Consumer, error) {
	return w.Store.DurableConsumer(ctx, consumerName, subject, w.ackWait, maxAckPending)
}

// routerLog has what the router says of itself at the level of debugging.
func (w *Worker) routerLog() watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(w.Logger, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
}
