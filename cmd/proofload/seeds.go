package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/go-json-experiment/json"
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
	Seeds   []string `json:"seeds"`
	Hashes  []string `json:"hashes"`
	Figures []spread `json:"figures"`
}

// runSeeds runs the seeds from the profile's on, side by side on all cores. The report does not depend on
// how many there are.
func runSeeds(ctx context.Context, bundle domain.Bundle, doc document, expectations []expectation, o runOptions, io streams) error {
	if o.seeds < 1 || o.seeds > maxSeeds {
		return fmt.Errorf("--seeds %d: 1 to %d", o.seeds, maxSeeds)
	}
	if len(bundle.ProfileIssues) > 0 {
		return reportRefusal(domain.Refused(bundle.ProfileIssues), doc, o, io)
	}
	results, err := runAll(ctx, bundle, o, progressBar(io, o.seeds))
	if err != nil {
		return reportRefusal(err, doc, o, io)
	}
	documents := make([][]byte, len(results))
	for i, r := range results {
		if documents[i], err = r.Document(); err != nil {
			return err
		}
	}
	judged, err := judgeAll(expectations, documents)
	if err != nil {
		return err
	}
	if err := writeSpread(io.out, title(bundle), results, o.json); err != nil {
		return err
	}
	if !o.json {
		writeJudged(io.out, judged)
	}
	if err := o.writeFiles(title(bundle), judged, results); err != nil {
		return err
	}
	return brokenExit(judged)
}

func runAll(ctx context.Context, bundle domain.Bundle, o runOptions, watch func(engine.Progress)) ([]*engine.Result, error) {
	first, err := strconv.ParseUint(bundle.Profile.Seed, 10, 64)
	if err != nil {
		return nil, err
	}
	results := make([]*engine.Result, o.seeds)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range results {
		group.Go(func() error {
			in := o.input(bundle)
			in.Profile.Seed = strconv.FormatUint(first+uint64(i), 10)
			var err error
			if results[i], err = runEngine(ctx, in, nil, nil); err != nil {
				return err
			}
			if watch != nil {
				watch(engine.Progress{Done: 1})
			}
			return nil
		})
	}
	return results, group.Wait()
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

func writeSpread(w io.Writer, title string, results []*engine.Result, asJSON bool) error {
	report := spreadReport{Figures: spreads(results)}
	for _, r := range results {
		report.Seeds, report.Hashes = append(report.Seeds, r.Seed), append(report.Hashes, r.Hash)
	}
	if asJSON {
		data, err := json.Marshal(report)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", data)
		return err
	}
	_, _ = fmt.Fprintf(w, "%s\n%d seeds from %s on; the interval is that of the mean\n\n", title, len(results), results[0].Seed)
	rows := [][]string{{"figure", "mean", "least", "greatest", "95 % interval", "seeds"}}
	for _, s := range report.Figures {
		rows = append(rows, []string{
			s.Key, fmt.Sprintf("%.6g", s.Mean), fmt.Sprintf("%.6g", s.Least), fmt.Sprintf("%.6g", s.Greatest),
			fmt.Sprintf("%.6g to %.6g", s.Low95, s.High95), fmt.Sprint(s.Runs),
		})
	}
	table(w, rows)
	return nil
}
