package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestPerformance compares the engine with the naive twin and prints one row of docs/performance.md for each kind
// of work. Both give the same result before a time counts. With PROOFLOAD_BENCH=1 the sizes are those of the table,
// else they are small and only the equality means something. No time fails the test.
//
//	PROOFLOAD_BENCH=1 go test -run '^TestPerformance$' -v ./engine
func TestPerformance(t *testing.T) {
	p := &performance{t: t, scale: 0.004, rounds: 1}
	if os.Getenv(benchVariable) != "" {
		p.scale, p.rounds = 1, 5
	}
	p.header()
	p.ratios()
	p.pendingTimers()
	p.percentiles()
	p.allocations()
	p.memory()
	p.cores()
}

const benchVariable = "PROOFLOAD_BENCH"

// performance measures CPU time of this process, in rounds that interleave what is compared.
type performance struct {
	t      *testing.T
	scale  float64 // of the sizes
	rounds int
}

func (p *performance) header() {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	fmt.Printf("%s %s/%s, %d CPUs, load average %.14s; CPU time, median of %d interleaved rounds, one core\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load, p.rounds)
	fmt.Println("| work | engine | naive twin | ratio | bar |")
	fmt.Println("| --- | --- | --- | --- | --- |")
}

// row prints a row of the table.
func (p *performance) row(work, engine, twin, ratio, bar string) {
	fmt.Printf("| %s | %s | %s | %s | %s |\n", work, engine, twin, ratio, bar)
}

// ratios are the rows in which a whole run stands against the same run of the twin.
func (p *performance) ratios() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, work := range []struct {
		name string
		in   Input
		bar  string
	}{
		{"M/M/1 without timeout", mm1(40, 12_500*p.scale, 20, 0), "≥ 4"},
		{"M/M/1 with a timeout per call", mm1(40, 12_500*p.scale, 20, 1000), "≥ 5"},
		{"M/M/1 with 250 000 pending timers", mm1(25_000*p.scale, 25, 0.032/p.scale, 9_900), "≥ 10"},
		{"3 nested calls, 1 write, 1 publish to 2 subscriptions", nested(1000*p.scale, 100), "≥ 5"},
		{"the same, 5 000 000 events", nested(1000*p.scale, 500), "≥ 5; ≤ 1.5 s"},
	} {
		events := p.sameResult(work.in)
		times := p.interleaved(func() { mustRun(p.t, work.in) }, func() { mustRunTwin(p.t, work.in) })
		engine := perEvent(times[0], events)
		if events > 4_000_000 {
			engine += fmt.Sprintf(" (%.2f s)", times[0].Seconds())
		}
		p.row(fmt.Sprintf("%s (%d events)", work.name, events), engine, perEvent(times[1], events), quotient(times[1], times[0]), work.bar)
	}
}

// pendingTimers compares the cost of an event with 250 000 timers that have not passed and with few.
func (p *performance) pendingTimers() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	many, few := mm1(25_000*p.scale, 25, 0.032/p.scale, 9_900), mm1(25_000*p.scale, 25, 0.032/p.scale, 2)
	manyEvents, fewEvents := p.sameResult(many), p.sameResult(few)
	times := p.interleaved(func() { mustRun(p.t, many) }, func() { mustRun(p.t, few) })
	ratio := (float64(times[0]) / float64(manyEvents)) / (float64(times[1]) / float64(fewEvents))
	p.row("an event with 250 000 pending timers, against one with few", perEvent(times[0], manyEvents),
		perEvent(times[1], fewEvents)+" (the engine, few timers)", fmt.Sprintf("%.2f", ratio), "≤ 1.4")
}

// percentiles compares the five percentiles of a full summary with sorting it.
func (p *performance) percentiles() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const summaries = 40
	generator := newRNG("1", purposeService, "percentiles")
	samples := make([]int64, DefaultLimits.KeptSamples)
	for i := range samples {
		samples[i] = roundNs(-ln(1-generator.uniform()) * 20e6)
	}
	fill := func(s interface{ add(int64) }) {
		for _, sample := range samples {
			s.add(sample)
		}
	}
	engineSummary, twin, buffer := newSummary(DefaultLimits.KeptSamples, "1", "flow"), &twinSummary{keep: DefaultLimits.KeptSamples}, []int64{}
	fill(&engineSummary)
	fill(twin)
	if got, want := engineSummary.result(&buffer), twin.result(); !sameSummary(got, want) {
		p.t.Errorf("summaries differ: %+v, the twin's %+v", got, want)
	}
	wanted, spare, values := nearestRanks(len(samples)), make([]int64, len(samples)), make([]int64, len(samples))
	var at [len(permilles)]int64
	times := p.interleaved(func() {
		for range summaries {
			copy(values, samples)
			ranks := wanted
			selectRanks(values, spare, ranks[:], at[:])
		}
	}, func() {
		for range summaries {
			copy(values, samples)
			slices.Sort(values)
		}
	})
	micros := func(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/summaries/1e3) }
	p.row("percentiles of 50 000 samples, against slices.Sort", micros(times[0]), micros(times[1]), quotient(times[1], times[0]), "≥ 4")
}

func sameSummary(a, b Summary) bool {
	return a.Count == b.Count && *a.P50Ms == *b.P50Ms && *a.P90Ms == *b.P90Ms && *a.P95Ms == *b.P95Ms &&
		*a.P99Ms == *b.P99Ms && *a.P999Ms == *b.P999Ms && *a.MeanMs == *b.MeanMs
}

// allocations counts those of a long run beyond those of a short one.
func (p *performance) allocations() {
	count := func(seconds float64) (objects uint64, events int64) {
		in := nested(1000*p.scale, seconds)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result := mustRun(p.t, in)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, result.Events
	}
	start, few := count(50)
	all, many := count(500)
	perEvent := float64(int64(all)-int64(start)) / float64(many-few)
	p.row("allocations per event after the start", fmt.Sprintf("%.5f", max(0, perEvent)), "", "", "≤ 0.001")
}

// interleaved is the median CPU time of each function.
func (p *performance) interleaved(functions ...func()) []time.Duration {
	times := make([][]time.Duration, len(functions))
	for range p.rounds {
		for i, f := range functions {
			runtime.GC() // what the one before left behind is not for this one to collect
			before := cpuTime()
			f()
			times[i] = append(times[i], cpuTime()-before)
		}
	}
	medians := make([]time.Duration, len(functions))
	for i := range times {
		slices.Sort(times[i])
		medians[i] = times[i][len(times[i])/2]
	}
	return medians
}

// sameResult checks that the engine and the twin give the same document, and returns the number of events.
func (p *performance) sameResult(in Input) int64 {
	p.t.Helper()
	engine, twin := mustRun(p.t, in), mustRunTwin(p.t, in)
	if engine.Hash != twin.Hash || engine.Hash == "" {
		p.t.Fatal("the engine and the twin differ")
	}
	return engine.Events
}

func mustRun(t testing.TB, in Input) *Result {
	t.Helper()
	result, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func mustRunTwin(t testing.TB, in Input) *Result {
	t.Helper()
	result, err := runTwin(in)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func perEvent(d time.Duration, events int64) string {
	return fmt.Sprintf("%.0f ns/event", float64(d)/float64(events))
}

func quotient(a, b time.Duration) string { return fmt.Sprintf("%.1f", float64(a)/float64(max(1, b))) }
