package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// maxDeliveries is the delivery that no longer runs the engine: the ones before took a worker with them.
const maxDeliveries = 5

// Codes of a failed run.
const (
	CodePanic       = "panic"
	CodeDeliveries  = "delivered-too-often"
	CodeBrokenInput = "broken-input"
	CodeEngine      = "engine-error"
)

// handle brings one requested run to its outcome. An error gives the message back, to be delivered again.
func (w *Worker) handle(msg *message.Message) error {
	d, err := deliveryOf(msg)
	if err != nil || !slices.Contains(d.events, domain.RunRequested{}.EventName()) {
		return err
	}
	ctx := msg.Context()
	if d.times >= maxDeliveries {
		return w.fail(ctx, d, CodeDeliveries, fmt.Sprintf("the run was taken up %d times and never came to an end", d.times-1))
	}
	if d.engine > w.newest {
		msg.Metadata.Set(metaNewer, "true")
		w.Logger.WarnContext(ctx, "a run waits for a newer worker", "run", d.runID, "engine", d.engine, "newest", w.newest)
		msg.Nack() // not an error, which the router would log as one
		return nil
	}
	ctx, done := w.working.on(ctx, d.runID) // before the start, so that no cancel is missed
	defer done()
	run, err := answered(ctx, w, func() (domain.Run, error) { return w.Commands.StartRun(ctx, d.workspace, d.runID, w.Name, d.by) })
	if err == nil {
		err = w.work(ctx, d, run.Pins)
	}
	if errors.Is(err, domain.ErrRunEnded) || err != nil && w.cancelled(msg.Context(), ctx, d) {
		return w.release(msg.Context(), d)
	}
	return err
}

func (w *Worker) release(ctx context.Context, d delivery) error {
	_, err := answered(ctx, w, func() (any, error) { return nil, w.Commands.ReleaseRun(ctx, d.workspace, d.runID, d.by) })
	return err
}

// cancelled says whether the work on a run ended because it was cancelled: it was told so, and the run has its
// outcome.
func (w *Worker) cancelled(ctx, work context.Context, d delivery) bool {
	if !errors.Is(context.Cause(work), errCancelled) {
		return false
	}
	run, err := answered(ctx, w, func() (domain.Run, error) { return w.Commands.LoadRun(ctx, d.workspace, d.runID) })
	return err == nil && run.Ended()
}

// work brings a run that was started to its outcome. Of a profile that was deleted meanwhile nobody wants it.
func (w *Worker) work(ctx context.Context, d delivery, pins domain.RunRequested) error {
	deleted, err := answered(ctx, w, func() (bool, error) { return w.Commands.ProfileDeleted(ctx, pins) })
	if err != nil {
		return err
	}
	if deleted {
		return w.end(ctx, d, domain.RunCancelled{RunID: d.runID, Reason: domain.CancelProfileDeleted})
	}
	outcome, err := w.outcome(ctx, pins)
	if err != nil {
		return err
	}
	return w.end(ctx, d, outcome)
}

// end appends the outcome. Another that came first is fine: it is the run's.
func (w *Worker) end(ctx context.Context, d delivery, outcome domain.Event) error {
	if f, ok := outcome.(domain.RunFailed); ok {
		w.Logger.ErrorContext(ctx, "a run failed", "run", d.runID, "code", f.Code, "detail", f.Detail)
	}
	by := d.by
	by.CommandID = commands.NewCommandID() // one for all tries: the first may be stored
	_, err := answered(ctx, w, func() (any, error) { return nil, w.Commands.EndRun(ctx, d.workspace, d.runID, outcome, by) })
	if errors.Is(err, domain.ErrRunEnded) {
		w.Logger.InfoContext(ctx, "a late outcome", "run", d.runID, "outcome", outcome.EventName())
		return nil
	}
	return err
}

func (w *Worker) fail(ctx context.Context, d delivery, code, detail string) error {
	return w.end(ctx, d, domain.RunFailed{RunID: d.runID, Code: code, Detail: detail})
}

// failPanicked ends the run of a handler that panicked. Running it again would panic again.
func (w *Worker) failPanicked(next message.HandlerFunc) message.HandlerFunc {
	return func(msg *message.Message) ([]*message.Message, error) {
		produced, err := next(msg)
		var panicked middleware.RecoveredPanicError
		if !errors.As(err, &panicked) {
			return produced, err
		}
		d, err := deliveryOf(msg)
		if err != nil {
			return nil, err
		}
		w.Logger.ErrorContext(msg.Context(), "the handler of a run panicked", "run", d.runID, "stack", panicked.Stacktrace)
		return nil, w.fail(msg.Context(), d, CodePanic, fmt.Sprint(panicked.V))
	}
}
