package http

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/proofload/proofload/domain"
)

// volley is how TestPerformanceHTTP loads the server: runs in the table, requests a second for that long, in rounds; runs
// of so many flows of 25 events are computed meanwhile, two at once, in the given number of workspaces at a time, of 30 a minute.
type volley struct {
	runs, rate     int
	seconds        float64
	rounds         int
	flows, tenants int
}

// TestPerformanceHTTP prints how long requests take while the server computes runs, against a bare handler. The rate is an
// open model: slow answers do not slow down the requests. Without PROOFLOAD_BENCH it is short, and only checks what
// is answered.
func TestPerformanceHTTP(t *testing.T) {
	l := volley{runs: 120, rate: 50, seconds: 0.4, rounds: 1, flows: 20_000, tenants: 4}
	if os.Getenv("PROOFLOAD_BENCH") != "" {
		l = volley{runs: 100_000, rate: 200, seconds: 5, rounds: 3, flows: 200_000, tenants: 15}
	}
	processors := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * processors) // as cmd/proofload has it, beside the runs
	t.Cleanup(func() { runtime.GOMAXPROCS(processors) })
	w := newWorld(t)
	w.workOn(2)
	asked := w.asked(l)
	stop := w.compute(l)
	for range l.rounds {
		for _, a := range asked {
			w.attack(a, l)
		}
	}
	computed := stop()
	for _, a := range asked {
		a.metrics.Close()
		if a.metrics.Success != 1 || a.metrics.Requests == 0 {
			t.Errorf("%s: %d requests, answers %v, errors %.3v", a.what, a.metrics.Requests, a.metrics.StatusCodes, a.metrics.Errors)
		}
	}
	if l.rounds > 1 {
		printHTTP(asked, l, computed)
	}
}

// asked is a request that is measured.
type asked struct {
	what, url string
	bytes     int
	metrics   vegeta.Metrics
}

// asked are the bare handler, a run, the first and the last page of the runs, and a comparison. Each was answered once.
func (w *world) asked(l volley) []*asked {
	w.shop()
	var ids [2]string
	for i := range ids {
		ids[i] = w.make(request{method: "POST", path: w.at("/stress/profiles/{f}/runs")})
	}
	last := w.copyRun(ids[0], l.runs-len(ids))
	paths := []asked{
		{what: "a run", url: w.at("/stress/runs/" + ids[0])},
		{what: "a page of runs, the first", url: w.at("/stress/runs?limit=50")},
		{what: "a page of runs, the last", url: w.at(fmt.Sprint("/stress/runs?limit=50&cursor=", last))},
		{what: "a comparison", url: w.at("/stress/compare?left=" + ids[0] + "&right=" + ids[1])},
	}
	all := []*asked{{what: "the bare handler"}}
	for _, a := range paths {
		body := w.send(request{method: "GET", path: a.url}).body
		if strings.Contains(a.what, "page") {
			w.checkPage(body, strings.Contains(a.what, "last"))
		}
		a.bytes, a.url = len(body), w.url+a.url
		if len(all) == 1 {
			all[0].url, all[0].bytes = w.bare(body), len(body)
		}
		all = append(all, &a)
	}
	return all
}

func (w *world) checkPage(body []byte, last bool) {
	w.t.Helper()
	var page struct {
		Items      []struct{ Status string }
		NextCursor string
	}
	must(w.t, json.Unmarshal(body, &page))
	if len(page.Items) != 50 || page.Items[49].Status != "completed" || (page.NextCursor == "") != last {
		w.t.Fatalf("%d runs, next %q, want 50, and no next only on the last page (%v)", len(page.Items), page.NextCursor, last)
	}
}

// copyRun puts n copies of a run into the read model, newer than all others, and gives the cursor of the last page of
// 50, on which the two runs of the shop are as well.
func (w *world) copyRun(id string, n int) (cursor int) {
	w.t.Helper()
	const newer = 1_000_000
	ctx := w.t.Context()
	db, err := sql.Open("sqlite", w.viewsPath+"?_pragma=busy_timeout(60000)")
	must(w.t, err)
	defer func() { must(w.t, db.Close()) }()
	conn, err := db.Conn(ctx) // one, since the table is temporary
	must(w.t, err)
	defer func() { must(w.t, conn.Close()) }()
	for _, statement := range []string{
		`CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` + fmt.Sprint(n) + `)
			SELECT runs.* FROM runs, n WHERE id = '` + id + `'`,
		`UPDATE copies SET id = printf('%026d', rowid), profile_id = printf('%026d', rowid % 100), seq = rowid + ` + fmt.Sprint(newer),
		`INSERT INTO runs SELECT * FROM copies`,
		`DROP TABLE copies`,
	} {
		_, err := conn.ExecContext(ctx, statement)
		must(w.t, err)
	}
	return newer + 49
}

// bare is the URL of a handler that answers the body as it is.
func (w *world) bare(body []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = rw.Write(body)
	}))
	w.t.Cleanup(server.Close)
	return server.URL
}

// compute has two runs computed all the time until it is stopped, which gives how many came to an end.
func (w *world) compute(l volley) (stop func() int64) {
	next := w.turns(l)
	ctx, cancel := context.WithCancel(w.t.Context())
	var computed atomic.Int64
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for ctx.Err() == nil {
				if r := w.send(request{method: "POST", path: next()}); r.status != 201 {
					w.t.Errorf("no run was computed: %d %.300s", r.status, r.body)
					return
				}
				computed.Add(1)
			}
		})
	}
	return func() int64 { cancel(); both.Wait(); return computed.Load() }
}

// turns gives where the next run is requested: of each tenant in its turn, since a run gives its place back after its outcome, and
// of new ones when the first may request no more.
func (w *world) turns(l volley) (next func() string) {
	var mu sync.Mutex
	more := func() []string {
		tenants := make([]string, l.tenants)
		for i := range tenants {
			tenants[i] = w.tenant(flow(1, 24, l.flows, 10, 0, 0))
		}
		return slices.Repeat(tenants, domain.MaxRecentRuns)
	}
	paths := more()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		if len(paths) == 0 {
			paths = more()
		}
		path := paths[0]
		paths = paths[1:]
		return path
	}
}

// tenant is a workspace with a project of the bundle.
func (w *world) tenant(b bundle) (runs string) {
	id := w.make(request{method: "POST", path: "/api/workspaces", body: `{"name":"Tenant"}`})
	return w.saveIn(id, b)
}

// attack sends the requests of one round.
func (w *world) attack(a *asked, l volley) {
	attacker := vegeta.NewAttacker(vegeta.Timeout(patience), vegeta.MaxWorkers(200))
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: a.url, Header: http.Header{"Authorization": {"Bearer " + w.token}}})
	rate := vegeta.Rate{Freq: l.rate, Per: time.Second}
	for result := range attacker.Attack(target, rate, time.Duration(l.seconds*float64(time.Second)), a.what) {
		a.metrics.Add(result)
	}
}

func printHTTP(all []*asked, l volley, computed int64) {
	micros := func(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }
	loadAverage, _ := os.ReadFile("/proc/loadavg") // none: not on Linux
	fmt.Printf("%d requests of each in turns, %d runs in the table, %d runs of %d events computed meanwhile, load average %.14s\n\n",
		all[0].metrics.Requests, l.runs, computed, 25*l.flows, loadAverage)
	fmt.Printf("| GET | bytes | p50 | p99 | p50 against bare | p99 against bare |\n| --- | --- | --- | --- | --- | --- |\n")
	bare := all[0].metrics.Latencies
	for _, a := range all {
		p := a.metrics.Latencies
		fmt.Printf("| %s | %d | %s | %s | %.1f | %.1f |\n", a.what, a.bytes, micros(p.P50), micros(p.P99),
			float64(p.P50)/float64(bare.P50), float64(p.P99)/float64(bare.P99))
	}
	first, last := all[2].metrics.Latencies, all[3].metrics.Latencies
	fmt.Printf("\nThe last page against the first, bar ≤ 1.5: %.2f at p50 (%.2f at p99).\n",
		float64(last.P50)/float64(first.P50), float64(last.P99)/float64(first.P99))
}
