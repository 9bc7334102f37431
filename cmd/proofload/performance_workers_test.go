package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/engine/worker"
)

// TestPerformanceWorkers prints how much of two processors two workers use for the engine while they compute queued runs:
// what the same runs take of processor time when the engine is called alone, over the time from the start of the workers to the
// last outcome in the log. The server is whole: embedded store, projector, API. Without PROOFLOAD_BENCH it is short, and only checks the
// outcomes.
func TestPerformanceWorkers(t *testing.T) {
	rounds, workspaces, rate := 1, 4, 20.0
	full := os.Getenv("PROOFLOAD_BENCH") != ""
	if full {
		rounds, workspaces, rate = 5, 50, 300
	}
	engineProcessors()
	n, err := startNode(t.Context(), nodeOptions{
		dir: t.TempDir(), listenOptions: listenOptions{address: "127.0.0.1:0"}, noEngine: true, logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	q := &queue{t: t, node: n}
	defer q.serve()()
	q.fill(workspaces, rate)
	alone := q.alone()
	var best, used time.Duration
	for range rounds {
		before := q.processorTime()
		if took := q.compute(); best == 0 || took < best {
			best, used = took, q.processorTime()-before
		}
		alone = min(alone, q.alone())
	}
	if full {
		total := alone * time.Duration(2*workspaces)
		fmt.Printf("\n| %d queued runs of %d workspaces, 2 workers, best of %d | engine alone, CPU | whole process, CPU | wall | cores in use by the engine | bar | load average |\n", 2*workspaces, workspaces, rounds)
		fmt.Printf("| --- | --- | --- | --- | --- | --- | --- |\n| %v each | %v | %v | %v | %.2f | ≥ 1.4 of 2 | %s |\n",
			alone.Round(time.Millisecond), total.Round(10*time.Millisecond), used.Round(10*time.Millisecond), best.Round(10*time.Millisecond), total.Seconds()/best.Seconds(), loadAverage(t))
	}
}

// queue is a server without an engine, and workspaces in which runs are requested.
type queue struct {
	t        *testing.T
	node     *node
	nodes    [2]*commands.Commands // as of two servers: each admits at most 64 runs at a time
	bundle   domain.Bundle
	projects []string
	profiles []string
}

// serve serves until the function that it gives is called.
func (q *queue) serve() (stop func()) {
	ctx, cancel := context.WithCancel(q.t.Context())
	served := make(chan error, 1)
	go func() { served <- q.node.serve(ctx) }()
	return func() {
		cancel()
		if err := errors.Join(<-served, q.node.close()); err != nil {
			q.t.Error(err)
		}
	}
}

func (q *queue) no(err error) {
	q.t.Helper()
	if err != nil {
		q.t.Fatal(err)
	}
}

// fill makes workspaces with a project and a profile each.
func (q *queue) fill(workspaces int, rate float64) {
	q.t.Helper()
	ctx, c, by := q.t.Context(), q.node.commands, commands.Meta{Member: q.node.first.MemberID}
	q.nodes = [2]*commands.Commands{c, commands.New(q.node.store, time.Now)}
	_, err := c.ChangeInstancePolicy(ctx, commands.ChangeInstancePolicy{Meta: by, MaxConcurrentStressRuns: 64})
	q.no(err)
	var raw map[string][]byte
	q.bundle, raw, err = parseDocuments(strings.Replace(heavyBundle, "ratePerSecond: 1900", fmt.Sprint("ratePerSecond: ", rate), 1))
	q.no(err)
	for n := range workspaces {
		w, err := c.CreateWorkspace(ctx, commands.CreateWorkspace{Meta: by, Name: fmt.Sprint("workspace ", n)})
		q.no(err)
		p, err := c.CreateProject(ctx, commands.CreateProject{Meta: by, WorkspaceID: w.ID, Name: "Shop"})
		q.no(err)
		_, err = c.SaveModel(ctx, commands.SaveModel{Meta: by, ProjectID: p.ID, Document: q.bundle.Model, Raw: raw["model"]})
		q.no(err)
		s, err := c.SaveScenario(ctx, commands.SaveScenario{Meta: by, ProjectID: p.ID, Document: *q.bundle.Scenario, Raw: raw["scenario"]})
		q.no(err)
		document, data, err := exampleProfile(raw["profile"], s.ID)
		q.no(err)
		f, err := c.SaveProfile(ctx, commands.SaveProfile{Meta: by, ProjectID: p.ID, Document: document, Raw: data})
		q.no(err)
		q.projects, q.profiles = append(q.projects, p.ID), append(q.profiles, f.ID)
	}
}

// alone is the processor time of one run of the engine, nothing else. The caller takes the least of several: a machine that is
// slow for a moment must not count for the engine.
func (q *queue) alone() time.Duration {
	q.t.Helper()
	const times = 10
	before := q.processorTime()
	for range times {
		_, err := engine.Run(q.t.Context(), input(q.bundle))
		q.no(err)
	}
	return (q.processorTime() - before) / times
}

// processorTime is what this process has used.
func (q *queue) processorTime() time.Duration {
	q.t.Helper()
	var used syscall.Rusage
	q.no(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// compute requests two runs of each workspace, then starts two workers and gives the time until all have ended.
func (q *queue) compute() time.Duration {
	q.t.Helper()
	log, unfollow := followRuns(q.t, q.node.store)
	defer unfollow()
	for n := range q.profiles {
		for range 2 {
			_, err := q.nodes[n%2].RequestRun(q.t.Context(), commands.RequestRun{
				Meta: commands.Meta{Member: q.node.first.MemberID}, ProjectID: q.projects[n], ProfileID: q.profiles[n],
			})
			q.no(err)
		}
	}
	eventually(q.t, func() bool { return log.count() == 2*len(q.profiles) }, "the runs are requested")
	ctx, stop := context.WithCancel(q.t.Context())
	var workers errgroup.Group
	began := time.Now()
	for n := range 2 {
		w, err := worker.New(worker.Config{Store: q.node.store, Commands: q.nodes[n], Name: fmt.Sprint("worker ", n), Slots: 1, Now: time.Now})
		q.no(err)
		workers.Go(func() error { return w.Run(ctx) })
	}
	eventually(q.t, func() bool { return log.unended() == 0 }, "the runs have ended")
	took := time.Since(began)
	stop()
	q.no(workers.Wait())
	log.check(q.t, 2*len(q.profiles), undisturbed(q.t, q.bundle))
	return took
}

// loadAverage is that of this machine for the last minutes, where it tells.
func loadAverage(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(data))[:3], " ")
}
