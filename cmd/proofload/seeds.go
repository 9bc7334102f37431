package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// maxSeeds bounds --seeds: all results are in memory at once.
const maxSeeds = 1000

// spread is one key figure over several seeds; the interval is Student's for the mean. A single run says
// nothing about its own certainty.
type spread struct {
	Key      string  `json:"key"`  // the path of the number in a result
	Runs     int     `json:"runs"` // seeds that have the value
	Mean     float64 `json:"mean"`
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
	Low95    float64 `json:"low95"`
	High95   float64 `json:"high95"`
}

// spreadReport is what run --seeds --json prints.
type spreadReport struct {
	Seeds      []string        `json:"seeds"`
	Hashes     []string        `json:"hashes"`
	Figures    []spread        `json:"figures"`
	Objectives []heldObjective `json:"objectives"`
}

// heldObjective says in how many of the runs an objective is held.
type heldObjective struct {
	Name   string `json:"name"`
	Expect string `json:"expect"`
	Held   int    `json:"held"`
	Runs   int    `json:"runs"`
}

// runAll runs the seeds from the profile's on, side by side on all cores. What comes out does not depend on how
// many there are: of some refusals it is the one with the lowest seed, and higher seeds need not run.
func (o runOptions) runAll(ctx context.Context, bundle domain.Bundle, io streams) ([]*engine.Result, error) {
	seeds, err := o.seedsFrom(bundle)
	if err != nil {
		return nil, err
	}
	progress := newProgress(io, len(seeds))
	defer progress.clear()
	results, errs := make([]*engine.Result, len(seeds)), make([]error, len(seeds))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	lowest := len(seeds) // that failed
	for i, seed := range seeds {
		group.Go(func() error {
			mu.Lock()
			skip := i > lowest
			mu.Unlock()
			if skip {
				return nil
			}
			in := o.input(bundle)
			in.Profile.Seed, in.Observer = seed, progress.of(i)
			if results[i], errs[i] = runEngine(ctx, in, bundle.ProfileIssues); errs[i] != nil {
				mu.Lock()
				lowest = min(lowest, i)
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait()
	return results, firstFailure(seeds, errs)
}

// seedsFrom are the seeds to run; a single one stays as it is written.
func (o runOptions) seedsFrom(bundle domain.Bundle) ([]string, error) {
	seeds := []string{bundle.Profile.Seed}
	if o.seeds == 1 || len(bundle.ProfileIssues) > 0 {
		return seeds, nil
	}
	first, err := strconv.ParseUint(bundle.Profile.Seed, 10, 64)
	if err != nil {
		return nil, err
	}
	if first > math.MaxUint64-uint64(o.seeds-1) {
		return nil, fmt.Errorf("--seeds %d: there are not so many from %d on; the last is %d", o.seeds, first, uint64(math.MaxUint64))
	}
	for i := 1; i < o.seeds; i++ {
		seeds = append(seeds, strconv.FormatUint(first+uint64(i), 10))
	}
	return seeds, nil
}

// firstFailure is the error of the lowest seed; the refusal of one of several runs names the seed.
func firstFailure(seeds []string, errs []error) error {
	for i, err := range errs {
		var refused *domain.RefusedError
		if errors.As(err, &refused) && len(seeds) > 1 {
			refused.Title += " (seed " + seeds[i] + ")"
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// figure is a number that --seeds reports, by its path in the result.
type figure struct {
	key string
	of  func(*engine.Result) *float64
}

// keyFigures are those of the flow and of each resource.
func keyFigures(r *engine.Result) []figure {
	figures := []figure{
		{"flow.throughputPerSecond", func(r *engine.Result) *float64 { return &r.Flow.ThroughputPerSecond }},
		{"flow.failed", func(r *engine.Result) *float64 { return whole(r.Flow.Failed) }},
		{"flow.latency.meanMs", func(r *engine.Result) *float64 { return r.Flow.Latency.MeanMs }},
		{"flow.latency.p50Ms", func(r *engine.Result) *float64 { return r.Flow.Latency.P50Ms }},
		{"flow.latency.p95Ms", func(r *engine.Result) *float64 { return r.Flow.Latency.P95Ms }},
		{"flow.latency.p99Ms", func(r *engine.Result) *float64 { return r.Flow.Latency.P99Ms }},
		{"flow.latency.p999Ms", func(r *engine.Result) *float64 { return r.Flow.Latency.P999Ms }},
		{"drain.timeMs", func(r *engine.Result) *float64 { return r.Drain.TimeMs }},
	}
	for i, e := range r.Elements {
		figures = append(figures, resourceFigures("elements["+e.ID+"]", func(r *engine.Result) engine.ResourceResult { return r.Elements[i].ResourceResult })...)
		figures = append(figures, figure{"elements[" + e.ID + "].wasted", func(r *engine.Result) *float64 { return whole(r.Elements[i].Wasted) }})
	}
	for i, s := range r.Subscriptions {
		figures = append(figures, resourceFigures("subscriptions["+s.ID+"]", func(r *engine.Result) engine.ResourceResult { return r.Subscriptions[i].ResourceResult })...)
	}
	return figures
}

func resourceFigures(at string, of func(*engine.Result) engine.ResourceResult) []figure {
	value := func(v float64) *float64 { return &v }
	return []figure{
		{at + ".utilisation", func(r *engine.Result) *float64 { return value(of(r).Utilisation) }},
		{at + ".depth.mean", func(r *engine.Result) *float64 { return value(of(r).Depth.Mean) }},
		{at + ".depth.max", func(r *engine.Result) *float64 { return whole(of(r).Depth.Max) }},
		{at + ".turnedAway", func(r *engine.Result) *float64 { return whole(of(r).TurnedAway) }},
		{at + ".saturated", func(r *engine.Result) *float64 { return truth(of(r).Saturated) }},
	}
}

func whole(n int64) *float64 { f := float64(n); return &f }

func truth(b bool) *float64 {
	if b {
		return whole(1)
	}
	return whole(0)
}

// spreadOf is the spread of the values that there are.
func spreadOf(key string, values []float64) spread {
	mean, deviation := stat.MeanStdDev(values, nil)
	s := spread{Key: key, Runs: len(values), Mean: mean, Least: math.Inf(1), Greatest: math.Inf(-1)}
	for _, v := range values {
		s.Least, s.Greatest = min(s.Least, v), max(s.Greatest, v)
	}
	s.Low95, s.High95 = mean, mean
	if n := float64(len(values)); n > 1 {
		half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
		s.Low95, s.High95 = mean-half, mean+half
	}
	return s
}

func spreads(results []*engine.Result) []spread {
	var all []spread
	for _, f := range keyFigures(results[0]) {
		var values []float64
		for _, r := range results {
			if v := f.of(r); v != nil {
				values = append(values, *v)
			}
		}
		if len(values) > 0 {
			all = append(all, spreadOf(f.key, values))
		}
	}
	return all
}

func writeSpread(io streams, title string, results []*engine.Result, judged []judged, asJSON bool) error {
	report := spreadReport{Figures: spreads(results), Objectives: []heldObjective{}}
	for _, r := range results {
		report.Seeds, report.Hashes = append(report.Seeds, r.Seed), append(report.Hashes, r.Hash)
	}
	for _, j := range judged {
		report.Objectives = append(report.Objectives, heldObjective{j.name, j.text, j.held(), len(j.seeds)})
	}
	if asJSON {
		return writeJSON(io.out, report)
	}
	_, _ = fmt.Fprintf(io.out, "%s\n%d seeds from %s on; the interval is that of the mean\n\n", title, len(results), results[0].Seed)
	rows := [][]string{{"figure", "mean", "least", "greatest", "95 % interval", "seeds"}}
	for _, s := range report.Figures {
		rows = append(rows, []string{
			s.Key, number(s.Mean), number(s.Least), number(s.Greatest),
			number(s.Low95) + " to " + number(s.High95), fmt.Sprint(s.Runs),
		})
	}
	table(io.out, rows)
	return nil
}
