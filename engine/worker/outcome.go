package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// outcome runs what the pins name. The error is one of the store or of a stop: nothing is known about the run.
func (w *Worker) outcome(ctx context.Context, pins domain.RunRequested) (domain.Event, error) {
	in, err := answered(ctx, w, func() (commands.RunInputs, error) { return w.Commands.RunInputs(ctx, pins) })
	if errors.Is(err, commands.ErrBrokenInput) {
		return failed(pins, CodeBrokenInput, err), nil
	}
	if err != nil {
		return nil, err
	}
	result, err := w.run(ctx, w.input(in, pins))
	var refused *domain.RefusedError
	switch {
	case err == nil:
		return w.completed(ctx, pins, result)
	case errors.As(err, &refused):
		return domain.RunRefused{RunID: pins.RunID, Type: refused.Type, Title: refused.Title, Issues: refused.Issues}, nil
	case ctx.Err() != nil:
		return nil, err
	}
	return failed(pins, CodeEngine, err), nil
}

func (w *Worker) input(in commands.RunInputs, pins domain.RunRequested) engine.Input {
	doubts := make(map[string]engine.Doubt, len(pins.Doubts))
	for _, d := range pins.Doubts {
		doubts[d.MeasurementRef] = engine.Doubt{InDoubt: true, Stale: d.Stale}
	}
	return engine.Input{
		Model: in.Model, Scenario: in.Scenario, Profile: in.Profile,
		Doubts: doubts, Version: pins.EngineVersion, Observer: &engine.Observer{Progress: w.progressOf(pins)},
	}
}

// completed stores the result and names it in the outcome.
func (w *Worker) completed(ctx context.Context, pins domain.RunRequested, r *engine.Result) (domain.Event, error) {
	document, err := r.Document()
	if err != nil {
		return failed(pins, CodeEngine, err), nil
	}
	blob, err := answered(ctx, w, func() (string, error) { return w.Commands.PutResult(ctx, document) })
	if err != nil {
		return nil, fmt.Errorf("result of run %s: %w", pins.RunID, err)
	}
	return domain.RunCompleted{
		RunID: pins.RunID, EngineVersion: r.EngineVersion, Blob: blob, ResultHash: r.Hash, Key: keyFigures(r),
	}, nil
}

func failed(pins domain.RunRequested, code string, err error) domain.Event {
	return domain.RunFailed{RunID: pins.RunID, Code: code, Detail: err.Error()}
}

func keyFigures(r *engine.Result) domain.KeyFigures {
	key := domain.KeyFigures{
		Started: r.Flow.Started, Completed: r.Flow.Completed, Failed: r.Flow.Failed,
		P50Ms: r.Flow.Latency.P50Ms, P95Ms: r.Flow.Latency.P95Ms, P99Ms: r.Flow.Latency.P99Ms, P999Ms: r.Flow.Latency.P999Ms,
		ThroughputPerSecond: r.Flow.ThroughputPerSecond, Saturated: saturated(r), Confidence: r.Confidence.Level,
	}
	if r.Bottleneck.ResourceID != nil {
		key.Bottleneck = *r.Bottleneck.ResourceID
	}
	return key
}

// saturated lists the ids of the saturated resources, ascending.
func saturated(r *engine.Result) []string {
	ids := []string{}
	for _, e := range r.Elements {
		if e.Saturated {
			ids = append(ids, e.ID)
		}
	}
	for _, s := range r.Subscriptions {
		if s.Saturated {
			ids = append(ids, s.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
