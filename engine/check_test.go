package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// finished is the engine of a whole run of a case, before its result.
func finished(t *testing.T, name string) (*engine, *plan) {
	t.Helper()
	in, err := bundleOf(t, name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(in)
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(&p, nil)
	if err := e.loop(context.Background()); err != nil {
		t.Fatal(err)
	}
	e.finishRun()
	return e, &p
}

// TestCheckFindsWhatIsWrong spoils one number of a run after the other. The case has work of every kind.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	for law, spoil := range map[string]func(e *engine){
		"started flows":                        func(e *engine) { e.flows.failed[0]++ },
		"latency samples of flows":             func(e *engine) { e.flows.latency.add(1) },
		"attempts = succeeded":                 func(e *engine) { e.operations[0].counts.timedOut[1]++ },
		"attempts - retries":                   func(e *engine) { e.operations[0].counts.retries[0]++ },
		"latency samples = succeeded":          func(e *engine) { e.operations[0].latency.add(1) },
		"requests = served":                    func(e *engine) { e.resources[0].requests.n++ },
		"depth = waiting frames":               func(e *engine) { e.resources[0].depth-- },
		"busy = held frames":                   func(e *engine) { e.resources[0].busy-- },
		"wait samples = served":                func(e *engine) { e.resources[0].wait.add(1) },
		"busy time <= workers":                 func(e *engine) { e.resources[0].area.parts[firstQuarter].busy = never },
		"Little's law":                         func(e *engine) { e.resources[0].waited++ },
		"time integral of the busy workers":    func(e *engine) { e.resources[0].held-- },
		"started = completed + failed inside":  func(e *engine) { e.resources[0].element.wasted[1]++ },
		"turned away = rejected":               func(e *engine) { e.resources[0].turnedAway++ },
		"latency samples = served - held":      func(e *engine) { e.resources[0].latency.add(1) },
		"messages = completed":                 func(e *engine) { e.subscriptions[0].counts.messages[1]++ },
		"deliveries = completed":               func(e *engine) { e.subscriptions[0].counts.failedDeliveries[0]++ },
		"turned away = overflowed":             func(e *engine) { e.subscriptions[0].counts.overflowed[0]++ },
		"latency samples = completed":          func(e *engine) { e.resources[len(e.resources)-1].latency.add(1) },
		"messages + redelivered":               func(e *engine) { e.channels[0].dropped[0]++ },
		"pending = scheduled events":           func(e *engine) { e.seq++ },
		"open work that nobody counts as open": func(e *engine) { e.open[flowFrame]-- },
	} {
		e, p := finished(t, "steps-all-overload")
		if err := e.check(p); err != nil {
			t.Fatalf("before anything is spoilt: %v", err)
		}
		spoil(e)
		err := e.check(p)
		var check *CheckError
		if !errors.As(err, &check) {
			t.Errorf("%s: %v, want a CheckError", law, err)
			continue
		}
		if law = strings.TrimPrefix(law, "open work that nobody counts as open"); !strings.Contains(err.Error(), law) {
			t.Errorf("%v does not name %q", err, law)
		}
	}
}

// TestCheckCountsOpenWork runs the checks where a run ends with open work: at the drain limit and in a deadlock.
func TestCheckCountsOpenWork(t *testing.T) {
	for _, name := range []string{"overload-drain-limit", "deadlock", "drain-one-second-at-limit"} {
		e, p := finished(t, name)
		if !e.anyOpen() {
			t.Errorf("%s: no work is open in the end", name)
		}
		if err := e.check(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
