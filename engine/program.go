package engine

import "github.com/proofload/proofload/domain"

// What an instruction does.
const (
	endOp     = iota // the sequence of the frame has ended well
	callOp           // work: the operation; a: the steps inside the call; b: onError, or none
	writeOp          // work: the store
	publishOp        // a: index into publishes
	forkOp           // a: index into forks, of the first branch; b: number of branches
	choiceOp         // a: index into choosers; b: the else path
	jumpOp           // a: where to go on
)

// instruction is one step of the compiled scenario.
type instruction struct {
	op   uint8
	work int16 // index into works
	a, b int32
}

// program is the scenario as a flat list of instructions. A sequence that a frame runs by itself ends with endOp.
// The onError steps of a call and the paths of a branch step belong to the frame of the sequence that they stand in
// and jump back into it (E32).
type program struct {
	code  []instruction
	forks []int32 // where each branch of the parallel steps starts
}

// compiler turns steps into instructions.
type compiler struct {
	program
	works    map[string]int16 // by operation id and store id
	choosers map[string]int32 // by step id
	publish  func(step domain.Step) int32
	later    []func() // sequences that stand apart from the one being written
}

// sequence compiles steps that a frame runs by itself and gives the place of the first one.
func (c *compiler) sequence(steps []domain.Step) int32 {
	first := c.here()
	c.inline(steps)
	c.emit(instruction{op: endOp})
	return first
}

// finish compiles all that was put off.
func (c *compiler) finish() program {
	for len(c.later) > 0 {
		next := c.later[0]
		c.later = c.later[1:]
		next()
	}
	return c.program
}

func (c *compiler) inline(steps []domain.Step) {
	for _, step := range steps {
		switch step.Kind {
		case domain.StepCall:
			c.call(step)
		case domain.StepWrite:
			c.emit(instruction{op: writeOp, work: c.works[step.ElementID]})
		case domain.StepPublish:
			c.emit(instruction{op: publishOp, a: c.publish(step)})
		case domain.StepParallel:
			c.fork(step)
		case domain.StepBranch:
			c.choice(step)
		}
	}
}

func (c *compiler) call(step domain.Step) {
	at := c.emit(instruction{op: callOp, work: c.works[step.OperationID], b: none})
	c.later = append(c.later, func() {
		c.code[at].a = c.sequence(step.Steps)
		if len(step.OnError) > 0 {
			c.code[at].b = c.here()
			c.inline(step.OnError)
			c.emit(instruction{op: jumpOp, a: at + 1})
		}
	})
}

func (c *compiler) fork(step domain.Step) {
	first := len(c.forks)
	c.forks = append(c.forks, make([]int32, len(step.Branches))...)
	c.emit(instruction{op: forkOp, a: int32(first), b: int32(len(step.Branches))})
	c.later = append(c.later, func() {
		for i, branch := range step.Branches {
			c.forks[first+i] = c.sequence(branch)
		}
	})
}

func (c *compiler) choice(step domain.Step) {
	at := c.emit(instruction{op: choiceOp, a: c.choosers[step.ID]})
	c.inline(step.Then)
	over := c.emit(instruction{op: jumpOp})
	c.code[at].b = c.here()
	c.inline(step.Else)
	c.code[over].a = c.here()
}

func (c *compiler) here() int32 { return int32(len(c.code)) }

func (c *compiler) emit(i instruction) int32 {
	c.code = append(c.code, i)
	return c.here() - 1
}
