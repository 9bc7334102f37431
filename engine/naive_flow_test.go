package engine

// twinFlow counts flows (E17, E18).
type twinFlow struct {
	started, completed, failed int64 // marked flows
	completedInWindow          int64
	inFlight                   int64
	latency                    *twinSummary

	startedPoints, completedPoints, failedPoints, inFlightPoints []int64 // of the series
}

// startFlow runs a flow as far as it can at this instant.
func (t *twin) startFlow() {
	f, started, marked := &t.flow, t.now, t.now >= t.warmUp // E41
	t.series.count(&f.startedPoints, t.now)
	f.inFlight++
	twinCount(&f.started, marked)
	t.left.Flows++
	t.steps.run(t, marked, func(ok bool) {
		t.left.Flows--
		t.end = t.now
		f.inFlight--
		if ok {
			f.complete(t, marked, started)
		} else {
			t.series.count(&f.failedPoints, t.now)
			twinCount(&f.failed, marked)
		}
	})
}

func (f *twinFlow) complete(t *twin, marked bool, started int64) {
	t.series.count(&f.completedPoints, t.now)
	if t.inWindow() {
		f.completedInWindow++
	}
	if marked {
		f.completed++
		f.latency.add(t.now - started)
	}
}
