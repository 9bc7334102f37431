package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// fullVariable makes TestFullRun of a child process run and tells how many works wait.
const fullVariable = "PROOFLOAD_BENCH_WAITING"

// memory runs a child process in which 250 000 calls wait and 250 000 timers are pending at one instant.
func (p *performance) memory() {
	waiting := int(250_000 * p.scale)
	child := exec.Command(os.Args[0], "-test.run=^TestFullRun$", "-test.v")
	child.Env = append(os.Environ(), fullVariable+"="+strconv.Itoa(waiting))
	out, err := child.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	resident := "unknown"
	for line := range strings.Lines(string(out)) {
		if kb, found := strings.CutPrefix(line, "VmHWM:"); found {
			n, err := strconv.Atoi(strings.Fields(kb)[0])
			if err != nil {
				p.t.Fatal(err)
			}
			resident = fmt.Sprintf("%.0f MB", float64(n)/1024)
		}
	}
	p.row(fmt.Sprintf("peak resident memory, %d waiting and as many pending", waiting), resident, "", "", "≤ 64 MB")
}

// TestFullRun fills the queue and the timers to the limits; one call more would be refused. A child of
// TestPerformance that only links the engine prints its peak memory.
func TestFullRun(t *testing.T) {
	waiting := 500
	if n, err := strconv.Atoi(os.Getenv(fullVariable)); err == nil {
		waiting = n
	}
	in := fullRun(waiting)
	result := mustRun(t, in)
	if result.Operations[0].TimedOut != int64(waiting) || result.Elements[0].Depth.Max != int64(waiting)-1 {
		t.Errorf("%d calls timed out and %d waited, want %d and one less",
			result.Operations[0].TimedOut, result.Elements[0].Depth.Max, waiting)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil && os.Getenv(fullVariable) != "" {
		fmt.Printf("%s", status)
	}
	in.Limits.Pending--
	if _, err := Run(context.Background(), in); err == nil {
		t.Error("a run over the pending limit was not refused")
	}
}

// fullRun has one call in service and all others in the queue; the timer of each is pending.
func fullRun(calls int) Input {
	in := mm1(float64(calls)/5, 5, 1, 100_000)
	in.Profile.Arrivals.Kind = domain.ArrivalsConstant
	in.Profile.ServiceTimes[0].Time = domain.Time{Kind: domain.TimeFixed, Ms: 3_600_000}
	in.Limits = DefaultLimits
	in.Limits.Arrivals = int64(calls)
	in.Limits.Pending = int64(calls) + 1
	return in
}

// cores computes 8 seeds on one core and on two; the best of the rounds, in wall time.
func (p *performance) cores() {
	in := nested(1000*p.scale, 100)
	best := map[int]time.Duration{}
	for range p.rounds {
		for _, workers := range []int{1, 2} {
			runtime.GC()
			began := time.Now()
			p.seeds(in, workers)
			if took := time.Since(began); best[workers] == 0 || took < best[workers] {
				best[workers] = took
			}
		}
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	two := fmt.Sprintf("%d ms", best[2].Milliseconds())
	one := fmt.Sprintf("%d ms (the engine, 1 core)", best[1].Milliseconds())
	p.row("8 seeds on 2 cores, against 1", two, one, quotient(best[1], best[2]), fmt.Sprintf("≥ 1.7, best of %d, load average %.14s", p.rounds, load))
}

// seeds runs 8 seeds with a number of workers.
func (p *performance) seeds(in Input, workers int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for seed := next.Add(1); seed <= 8; seed = next.Add(1) {
				mine := in
				mine.Profile.Seed = strconv.FormatInt(seed, 10)
				if _, err := Run(context.Background(), mine); err != nil {
					p.t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
