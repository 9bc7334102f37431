package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// ChangeInstancePolicy changes how many stress runs a process has at the same time.
type ChangeInstancePolicy struct {
	Meta
	Base                    int // the version that was changed; 0: nobody changed it before
	MaxConcurrentStressRuns int // 1 to 64
}

// ChangeInstancePolicy saves the policy, which holds from the next run on; one that holds already appends nothing.
func (c *Commands) ChangeInstancePolicy(ctx context.Context, cmd ChangeInstancePolicy) (Answer, error) {
	d, err := handle(ctx, c, cmd.identified(), instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decideChangeInstancePolicy(i, cmd)
	})
	return Answer{ID: theInstance, Version: d.state.Policy.Version, Position: d.position}, err
}

func decideChangeInstancePolicy(i domain.Instance, cmd ChangeInstancePolicy) ([]domain.Event, error) {
	changed := domain.InstancePolicyChanged{MaxConcurrentStressRuns: cmd.MaxConcurrentStressRuns}
	if issues := domain.CheckInstancePolicy(cmd.MaxConcurrentStressRuns); len(issues) > 0 {
		return nil, &domain.InvalidError{Issues: issues}
	}
	switch {
	case i.Policy.Version != cmd.Base:
		return nil, staleError("policy of the instance", i.Policy.Version, changed)
	case i.MaxRuns() == cmd.MaxConcurrentStressRuns:
		return nil, nil
	}
	return []domain.Event{changed}, nil
}
