package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// orderOf runs an input event by event and writes a line for each: instant in ms, sequence number, what it is.
func orderOf(t *testing.T, in Input) string {
	t.Helper()
	p, err := prepare(in)
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(&p, nil)
	var lines []string
	if at, ok := e.arrivals.next(); ok {
		e.scheduleAt(at, arrivalEvent, 0)
	}
	for e.queue.ready() {
		next := e.queue.pop()
		e.now = int64(next.at)
		e.events++
		lines = append(lines, fmt.Sprintf("%g #%d %s", nsToMs(e.now), next.seq(), describe(e, next)))
		switch next.kind() {
		case arrivalEvent:
			e.arrive()
		case serviceEvent:
			e.served(next.slot())
		case ringEvent:
			e.ringDue(next.slot())
		}
	}
	return strings.Join(lines, "\n")
}

func describe(e *engine, next event) string {
	switch next.kind() {
	case arrivalEvent:
		return "arrival"
	case serviceEvent:
		return "service ends"
	}
	r := &e.rings[next.slot()]
	due := r.entries[r.head]
	switch {
	case r.kind == timeoutRing && e.slab.at(due.frame).timer == due.seq:
		return "timeout"
	case r.kind == timeoutRing:
		return "timeout of a call that has ended"
	case r.kind == serviceRing:
		return "service ends"
	}
	return "backoff ends"
}

// TestOrderOfATimeoutWithRetries is worked out by hand: two flows, each with two attempts of 40 ms that time out after
// 30 ms, with 20 ms between them.
func TestOrderOfATimeoutWithRetries(t *testing.T) {
	in := mm1(10, 0.15, 1, 30)
	in.Profile.Arrivals.Kind = domain.ArrivalsConstant
	in.Profile.ServiceTimes[0].Time = domain.Time{Kind: domain.TimeFixed, Ms: 40}
	in.Model.Operations[0].Retry = domain.Retry{MaxAttempts: 2, BackoffMs: 20}
	want := strings.TrimSpace(`
0 #1 arrival
30 #2 timeout
40 #3 service ends
50 #5 backoff ends
80 #6 timeout
90 #7 service ends
100 #4 arrival
130 #8 timeout
140 #9 service ends
150 #10 backoff ends
180 #11 timeout
190 #12 service ends`)
	if diff := cmp.Diff(want, orderOf(t, in)); diff != "" {
		t.Errorf("order of events (-want +got):\n%s", diff)
	}
}

// TestOrderAtOneInstant ends a service at the instant of the next arrival. The first flow runs before the second arrival
// is scheduled (E3), so its end of service comes first. The timers of the ended calls pass later (E8).
func TestOrderAtOneInstant(t *testing.T) {
	in := mm1(50, 0.03, 1, 100)
	in.Profile.Arrivals.Kind = domain.ArrivalsConstant
	in.Profile.ServiceTimes[0].Time = domain.Time{Kind: domain.TimeFixed, Ms: 20}
	want := strings.TrimSpace(`
0 #1 arrival
20 #3 service ends
20 #4 arrival
40 #6 service ends
100 #2 timeout of a call that has ended
120 #5 timeout of a call that has ended`)
	if diff := cmp.Diff(want, orderOf(t, in)); diff != "" {
		t.Errorf("order of events (-want +got):\n%s", diff)
	}
}

// TestProgram lists the instructions of a scenario with every kind of step.
func TestProgram(t *testing.T) {
	call := func(id string, inside, onError []domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepCall, OperationID: "op", Steps: inside, OnError: onError}
	}
	write := domain.Step{ID: "w", Kind: domain.StepWrite, ElementID: "store"}
	publish := domain.Step{ID: "p", Kind: domain.StepPublish}
	c := compiler{
		works: map[string]int16{"op": 3, "store": 4}, choosers: map[string]int32{"if": 7},
		publish: func(domain.Step) int32 { return 9 },
	}
	start := c.sequence([]domain.Step{
		call("c", []domain.Step{write}, []domain.Step{publish}),
		{ID: "if", Kind: domain.StepBranch, Then: []domain.Step{write}, Else: []domain.Step{publish, publish}},
		{ID: "both", Kind: domain.StepParallel, Branches: [][]domain.Step{{write}, {}}},
	})
	program := c.finish()
	want := []instruction{
		{op: callOp, work: 3, a: 8, b: 10},
		{op: choiceOp, a: 7, b: 4},
		{op: writeOp, work: 4}, // then
		{op: jumpOp, a: 6},
		{op: publishOp, a: 9}, // else
		{op: publishOp, a: 9},
		{op: forkOp, a: 0, b: 2},
		{op: endOp},
		{op: writeOp, work: 4}, // inside the call
		{op: endOp},
		{op: publishOp, a: 9}, // onError
		{op: jumpOp, a: 1},
		{op: writeOp, work: 4}, // the first branch
		{op: endOp},
		{op: endOp}, // the second
	}
	if diff := cmp.Diff(want, program.code, cmp.AllowUnexported(instruction{})); diff != "" || start != 0 {
		t.Errorf("starts at %d; instructions (-want +got):\n%s", start, diff)
	}
	if diff := cmp.Diff([]int32{12, 14}, program.forks); diff != "" {
		t.Errorf("branches (-want +got):\n%s", diff)
	}
}
