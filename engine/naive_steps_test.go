package engine

import "github.com/proofload/proofload/domain"

// twinStep runs as far as it can at this instant and calls done once, now or in a later event. marked is the
// mark of the flow that caused the step (E17).
type twinStep interface {
	run(t *twin, marked bool, done func(ok bool))
}

// twinSequence is a list of steps; the first that fails ends it.
type twinSequence []twinStep

func (s twinSequence) run(t *twin, marked bool, done func(ok bool)) {
	if len(s) == 0 {
		done(true)
		return
	}
	s[0].run(t, marked, func(ok bool) {
		if !ok {
			done(false)
			return
		}
		s[1:].run(t, marked, done)
	})
}

type (
	twinCallStep struct {
		operationID    string
		inner, onError twinSequence
	}
	twinWriteStep    struct{ elementID string }
	twinPublishStep  struct{ channelID, routingKey string }
	twinParallelStep struct{ branches []twinSequence }
	twinBranchStep   struct {
		id          string
		then, else_ twinSequence
	}
)

// twinSteps builds the steps of a document.
func twinSteps(steps []domain.Step) twinSequence {
	var sequence twinSequence
	for _, step := range steps {
		sequence = append(sequence, newTwinStep(step))
	}
	return sequence
}

func newTwinStep(s domain.Step) twinStep {
	switch s.Kind {
	case domain.StepCall:
		return &twinCallStep{s.OperationID, twinSteps(s.Steps), twinSteps(s.OnError)}
	case domain.StepWrite:
		return &twinWriteStep{s.ElementID}
	case domain.StepPublish:
		return &twinPublishStep{s.ChannelID, s.RoutingKey}
	case domain.StepParallel:
		parallel := &twinParallelStep{}
		for _, branch := range s.Branches {
			parallel.branches = append(parallel.branches, twinSteps(branch))
		}
		return parallel
	default:
		return &twinBranchStep{s.ID, twinSteps(s.Then), twinSteps(s.Else)}
	}
}

// run starts the branches in document order and waits for all of them (E5).
func (s *twinParallelStep) run(t *twin, marked bool, done func(ok bool)) {
	running, allOK := len(s.branches), true
	for _, branch := range s.branches {
		branch.run(t, marked, func(ok bool) {
			allOK = allOK && ok
			if running--; running == 0 {
				done(allOK)
			}
		})
	}
}

func (s *twinBranchStep) run(t *twin, marked bool, done func(ok bool)) {
	if t.branches[s.id]() {
		s.then.run(t, marked, done)
	} else {
		s.else_.run(t, marked, done)
	}
}

// run writes to a store, which is tested here and again when the write reaches a worker (E31).
func (s *twinWriteStep) run(t *twin, marked bool, done func(ok bool)) {
	store, resource := t.elements[s.elementID], t.resources[s.elementID]
	if t.isOut(s.elementID) {
		twinCount(&store.failedByOutage, marked)
		done(false)
		return
	}
	closed := func() { t.left.Writes--; t.end = t.now }
	t.left.Writes++
	accepted := resource.request(&twinWork{
		marked:  marked,
		time:    t.stores[s.elementID],
		reaches: func() bool { return !t.isOut(s.elementID) },
		failed: func() {
			closed()
			twinCount(&store.failedByOutage, marked)
			done(false)
		},
		served: func(w *twinWork) {
			closed()
			resource.complete()
			twinCount(&store.completed, marked)
			store.sample(w, t.now)
			resource.release(w)
			done(true)
		},
	})
	if !accepted {
		closed()
		twinCount(&store.rejected, marked)
		done(false)
	}
}

// twinCount adds one when the work is marked (E17).
func twinCount(counter *int64, marked bool) {
	if marked {
		*counter++
	}
}
