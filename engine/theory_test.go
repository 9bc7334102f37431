package engine_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// theorySeeds is the number of seeds of one row; t99 is the 99.5 % point of Student's t with 29 degrees of freedom.
const (
	theorySeeds = 30
	t99         = 2.756
)

// theoryRow is one closed form beside what the engine measures.
type theoryRow struct {
	name    string // system, load, quantity
	formula float64
	input   func(seed int) engine.Input
	measure func(*engine.Result) float64
}

// interval is the mean of one row over the seeds and half the width of its 99 % interval.
type interval struct{ mean, half float64 }

func (i interval) holds(x float64) bool { return math.Abs(x-i.mean) <= i.half+1e-12*math.Abs(x) }

// TestTheory compares the engine with queueing theory: each formula lies in the 99 % interval of 30 seeds. It
// prints the table of docs/validation.md. A 99 % interval misses one time in a hundred by chance, so that a
// table of this size may have misses; there must not be more than chance explains (binomial, 0.1 %). The long form
// runs with PROOFLOAD_THEORY (make theory), the short one with a tenth of the window.
func TestTheory(t *testing.T) {
	rows := theoryRows()
	fmt.Println("| system | formula | mean of 30 seeds | 99 % interval | inside |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	outside := 0
	for _, row := range rows {
		got := measureRow(t, row)
		inside := "yes"
		if !got.holds(row.formula) {
			inside = "NO"
			outside++
		}
		fmt.Printf("| %s | %.6g | %.6g | %.6g to %.6g | %s |\n", row.name, row.formula, got.mean, got.mean-got.half, got.mean+got.half, inside)
	}
	if allowed := mostByChance(len(rows), 0.01, 0.001); outside > allowed {
		t.Errorf("%d of %d formulas lie outside, chance explains at most %d", outside, len(rows), allowed)
	}
}

func measureRow(t *testing.T, row theoryRow) interval {
	t.Helper()
	var sum, squares float64
	for seed := 1; seed <= theorySeeds; seed++ {
		result, err := engine.Run(t.Context(), row.input(seed))
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		x := row.measure(result)
		sum += x
		squares += x * x
	}
	n := float64(theorySeeds)
	variance := max(0, (squares-sum*sum/n)/(n-1))
	return interval{mean: sum / n, half: t99 * math.Sqrt(variance/n)}
}

// mostByChance is the smallest k with P(more than k of n miss) <= tail, for independent misses of chance p.
func mostByChance(n int, p, tail float64) int {
	term, below := math.Pow(1-p, float64(n)), 0.0
	for k := 0; ; k++ {
		below += term
		if 1-below <= tail {
			return k
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
}

// serviceMs is the mean service time of every station.
const serviceMs = 10.0

// window is the warm-up and the measured window of a run, in seconds.
func window() (warmUp, measured float64) {
	if os.Getenv("PROOFLOAD_THEORY") != "" {
		return 60, 480
	}
	return 12, 48
}

// station is one element with an operation of the same number.
type station struct {
	workers  int
	capacity *int
	time     domain.Time
}

// tandem calls one station after the other.
func tandem(seed int, kind string, rate float64, stations ...station) engine.Input {
	warmUp, measured := window()
	in := engine.Input{
		Scenario: &domain.Scenario{Name: "tandem"},
		Profile: domain.Profile{
			Name: "theory", ScenarioID: "tandem", Seed: strconv.Itoa(seed),
			Arrivals: domain.Arrivals{Kind: kind, RatePerSecond: rate, DurationSeconds: warmUp + measured, WarmUpSeconds: warmUp},
		},
	}
	for i, s := range stations {
		e, op := fmt.Sprintf("e%d", i), fmt.Sprintf("op%d", i)
		in.Model.Elements = append(in.Model.Elements, domain.Element{ID: e, Name: e, Kind: domain.KindService})
		in.Model.Operations = append(in.Model.Operations, domain.Operation{ID: op, ElementID: e, Name: op, Retry: domain.Retry{MaxAttempts: 1}})
		in.Scenario.Steps = append(in.Scenario.Steps, domain.Step{ID: "s-" + op, Kind: domain.StepCall, OperationID: op})
		in.Profile.Resources = append(in.Profile.Resources, domain.Resource{ElementID: e, Concurrency: s.workers, QueueCapacity: s.capacity})
		in.Profile.ServiceTimes = append(in.Profile.ServiceTimes, domain.ServiceTime{Target: op, Time: s.time})
	}
	return in
}

func wait(i int) func(*engine.Result) float64 {
	return func(r *engine.Result) float64 { return *r.Elements[i].Wait.MeanMs }
}
func depth(r *engine.Result) float64       { return r.Elements[0].Depth.Mean }
func utilisation(r *engine.Result) float64 { return r.Elements[0].Utilisation }
func flowMean(r *engine.Result) float64    { return *r.Flow.Latency.MeanMs }
func blocked(r *engine.Result) float64 {
	return float64(r.Operations[0].Rejected) / float64(r.Operations[0].Attempts)
}

// p99 is a percentile of the flow latency.
func p99(r *engine.Result) float64 { return *r.Flow.Latency.P99Ms }

// erlangC is the chance that work waits in M/M/c with a offered servers.
func erlangC(c int, a float64) float64 {
	term, sum := 1.0, 0.0
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	last := term / (1 - a/float64(c))
	return last / (sum + last)
}

// lossMMcK is the chance that M/M/c/K (K works in all) turns an arrival away.
func lossMMcK(c, k int, a float64) float64 {
	term, sum := 1.0, 0.0
	for n := 0; n <= k; n++ {
		if n > 0 {
			term *= a / float64(min(n, c))
		}
		sum += term
	}
	return term / sum
}

// pollaczekKhinchine is the mean wait of M/G/1 in ms: rho/(1-rho) * (1+cv2)/2 * mean.
func pollaczekKhinchine(rho, cv2 float64) float64 { return rho / (1 - rho) * (1 + cv2) / 2 * serviceMs }

func theoryRows() []theoryRow {
	var rows []theoryRow
	for _, rho := range []float64{0.3, 0.7, 0.9} {
		rows = append(rows, exponentialRows(rho)...)
		rows = append(rows, generalRows(rho)...)
		rows = append(rows, networkRows(rho)...)
	}
	return append(rows, boundaryRows()...)
}

var exponential = domain.Time{Kind: domain.TimeExponential, MeanMs: serviceMs}

// exponentialRows are M/M/1, M/M/4 and M/M/2/5.
func exponentialRows(rho float64) []theoryRow {
	name := func(system, what string) string { return fmt.Sprintf("%s, load %.1f: %s", system, rho, what) }
	mm1 := func(seed int) engine.Input { return tandem(seed, "poisson", rho*100, station{1, nil, exponential}) }
	mmc := func(seed int) engine.Input {
		return tandem(seed, "poisson", rho*400, station{4, nil, exponential})
	}
	three := 3
	mmck := func(seed int) engine.Input {
		return tandem(seed, "poisson", rho*200, station{2, &three, exponential})
	}
	wqc := erlangC(4, 4*rho) * serviceMs / (4 * (1 - rho))
	loss := lossMMcK(2, 5, 2*rho)
	return []theoryRow{
		{name("M/M/1", "mean wait, ms"), rho / (1 - rho) * serviceMs, mm1, wait(0)},
		{name("M/M/1", "mean number waiting"), rho * rho / (1 - rho), mm1, depth},
		{name("M/M/1", "utilisation"), rho, mm1, utilisation},
		{name("M/M/1", "99th percentile of the time in system, ms"), serviceMs / (1 - rho) * math.Log(100), mm1, p99},
		{name("M/M/4", "mean wait by Erlang C, ms"), wqc, mmc, wait(0)},
		{name("M/M/4", "mean number waiting"), wqc / 1000 * rho * 400, mmc, depth},
		{name("M/M/4", "utilisation"), rho, mmc, utilisation},
		{name("M/M/2/5", "share turned away"), loss, mmck, blocked},
		{name("M/M/2/5", "utilisation"), rho * (1 - loss), mmck, utilisation},
	}
}

// generalRows are M/D/1 and M/G/1 with a lognormal and a uniform service time.
func generalRows(rho float64) []theoryRow {
	const sigma = 0.5
	lognormal := domain.Time{Kind: domain.TimeLognormal, MedianMs: serviceMs / math.Exp(sigma*sigma/2)}
	lognormal.P95Ms = lognormal.MedianMs * math.Exp(1.6448536269514722*sigma)
	systems := []struct {
		name string
		time domain.Time
		cv2  float64
	}{
		{"M/D/1", domain.Time{Kind: domain.TimeFixed, Ms: serviceMs}, 0},
		{"M/G/1 lognormal", lognormal, math.Exp(sigma*sigma) - 1},
		{"M/G/1 uniform", domain.Time{Kind: domain.TimeUniform, MinMs: 0, MaxMs: 2 * serviceMs}, 1.0 / 3},
	}
	var rows []theoryRow
	for _, s := range systems {
		in := func(seed int) engine.Input { return tandem(seed, "poisson", rho*100, station{1, nil, s.time}) }
		wq := pollaczekKhinchine(rho, s.cv2)
		rows = append(
			rows,
			theoryRow{fmt.Sprintf("%s, load %.1f: mean wait by Pollaczek–Khinchine, ms", s.name, rho), wq, in, wait(0)},
			theoryRow{fmt.Sprintf("%s, load %.1f: mean number waiting", s.name, rho), wq / 1000 * rho * 100, in, depth},
			theoryRow{fmt.Sprintf("%s, load %.1f: utilisation", s.name, rho), rho, in, utilisation},
		)
	}
	return rows
}

// networkRows are two M/M/1 stations in tandem (Burke) and retries of a call that fails by chance.
func networkRows(rho float64) []theoryRow {
	in := func(seed int) engine.Input {
		return tandem(seed, "poisson", rho*100, station{1, nil, exponential}, station{1, nil, exponential})
	}
	const attempts = 10
	return []theoryRow{
		{fmt.Sprintf("tandem M/M/1, load %.1f: mean wait at the second, ms", rho), rho / (1 - rho) * serviceMs, in, wait(1)},
		{fmt.Sprintf("tandem M/M/1, load %.1f: mean flow latency, ms", rho), 2 * serviceMs / (1 - rho), in, flowMean},
		{
			fmt.Sprintf("retries, failure chance %.1f: attempts of a call", rho), (1 - math.Pow(rho, attempts)) / (1 - rho),
			func(seed int) engine.Input { return flaky(seed, rho, attempts) },
			func(r *engine.Result) float64 { return float64(r.Operations[0].Attempts) / float64(r.Flow.Started) },
		},
		{
			fmt.Sprintf("retries, failure chance %.1f: share of failed calls", rho), math.Pow(rho, attempts),
			func(seed int) engine.Input { return flaky(seed, rho, attempts) },
			func(r *engine.Result) float64 { return float64(r.Operations[0].Exhausted) / float64(r.Flow.Started) },
		},
	}
}

// flaky calls an operation whose every attempt fails by itself with a chance: a branch inside the call writes
// to a store that is always out.
func flaky(seed int, chance float64, attempts int) engine.Input {
	in := tandem(seed, "poisson", 50, station{10_000, nil, exponential})
	in.Model.Operations[0].Retry.MaxAttempts = attempts
	in.Model.Elements = append(in.Model.Elements, domain.Element{ID: "store", Name: "store", Kind: domain.KindStore})
	in.Scenario.Steps[0].Steps = []domain.Step{{
		ID: "coin", Kind: domain.StepBranch, Then: []domain.Step{{ID: "w", Kind: domain.StepWrite, ElementID: "store"}},
	}}
	in.Profile.Resources = append(in.Profile.Resources, domain.Resource{ElementID: "store", Concurrency: 1})
	in.Profile.ServiceTimes = append(in.Profile.ServiceTimes, domain.ServiceTime{Target: "store", Time: domain.Time{Kind: domain.TimeFixed}})
	in.Profile.Branches = []domain.BranchInput{{StepID: "coin", Probability: chance}}
	in.Profile.Outages = []domain.Outage{{Target: "store", ToSeconds: 90_000}}
	return in
}

// boundaryRows are M/M/∞, where nothing waits, and D/D/1, where nothing varies.
func boundaryRows() []theoryRow {
	many := func(seed int) engine.Input { return tandem(seed, "poisson", 200, station{10_000, nil, exponential}) }
	fixed := domain.Time{Kind: domain.TimeFixed, Ms: serviceMs}
	dd1 := func(seed int) engine.Input { return tandem(seed, "constant", 80, station{1, nil, fixed}) }
	return []theoryRow{
		{"M/M/∞ (10 000 workers): mean number in service", 200 * serviceMs / 1000, many, func(r *engine.Result) float64 { return utilisation(r) * 10_000 }},
		{"M/M/∞ (10 000 workers): mean wait, ms", 0, many, wait(0)},
		{"M/M/∞ (10 000 workers): mean flow latency, ms", serviceMs, many, flowMean},
		{"D/D/1, load 0.8: mean wait, ms", 0, dd1, wait(0)},
		{"D/D/1, load 0.8: utilisation", 0.8, dd1, utilisation},
		{"D/D/1, load 0.8: mean flow latency, ms", serviceMs, dd1, flowMean},
	}
}
