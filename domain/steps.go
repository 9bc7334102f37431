package domain

// sequences are the sequences that stand inside a step, in the order of the document.
func (s *Step) sequences() [][]Step {
	switch s.Kind {
	case StepCall:
		return [][]Step{s.Steps, s.OnError}
	case StepParallel:
		return s.Branches
	case StepBranch:
		return [][]Step{s.Then, s.Else}
	}
	return nil
}

// eachStep visits every step of a sequence and all that is nested in it, in the order of the document,
// whichever way a branch takes. A step of the sequence itself has depth 1 (E72).
func eachStep(steps []Step, visit func(step *Step, depth int)) { eachStepFrom(steps, 1, visit) }

func eachStepFrom(steps []Step, depth int, visit func(*Step, int)) {
	for i := range steps {
		visit(&steps[i], depth)
		for _, nested := range steps[i].sequences() {
			eachStepFrom(nested, depth+1, visit)
		}
	}
}
