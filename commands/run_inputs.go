package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// ErrBrokenInput: a document that a run is pinned to is missing, damaged or cannot be read. Trying again does
// not help.
var ErrBrokenInput = errors.New("a pinned document cannot be read")

// RunInputs are the documents that a run reads.
type RunInputs struct {
	Model    domain.Model
	Scenario *domain.Scenario // nil: it did not exist when the run was requested
	Profile  domain.Profile
}

// RunInputs reads the documents of a run, by its pins and nothing else.
func (c *Commands) RunInputs(ctx context.Context, pins domain.RunRequested) (RunInputs, error) {
	var in RunInputs
	var err error
	if pins.ModelVersion > 0 {
		if in.Model, err = document(ctx, c, pins.ModelBlob, domain.ParseModel); err != nil {
			return RunInputs{}, fmt.Errorf("model of run %s: %w", pins.RunID, err)
		}
	}
	if pins.ScenarioVersion != nil {
		s, err := document(ctx, c, pins.ScenarioBlob, domain.ParseScenario)
		if err != nil {
			return RunInputs{}, fmt.Errorf("scenario of run %s: %w", pins.RunID, err)
		}
		in.Scenario = &s
	}
	if in.Profile, err = document(ctx, c, pins.ProfileBlob, domain.ParseProfile); err != nil {
		return RunInputs{}, fmt.Errorf("profile of run %s: %w", pins.RunID, err)
	}
	in.Profile.Seed = pins.Seed
	return in, nil
}

// PutResult stores the document of a result and gives the hash that RunCompleted names it by.
func (c *Commands) PutResult(ctx context.Context, data []byte) (string, error) {
	return c.putBlob(ctx, data)
}

func document[D any](ctx context.Context, c *Commands, blob string, parse func([]byte) (D, error)) (D, error) {
	var none D
	data, err := c.store.Blob(ctx, blob)
	if errors.Is(err, eventstore.ErrNoBlob) || errors.Is(err, eventstore.ErrDamaged) {
		return none, fmt.Errorf("%w: %w", ErrBrokenInput, err)
	}
	if err != nil {
		return none, err
	}
	doc, err := parse(data)
	if err != nil {
		return none, fmt.Errorf("blob %s: %w: %w", blob, ErrBrokenInput, err)
	}
	return doc, nil
}
