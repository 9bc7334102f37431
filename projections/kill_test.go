package projections

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// These in the environment make the test binary a process that projects until a position.
const (
	projectorNATS     = "PROOFLOAD_TEST_PROJECTOR_NATS"
	projectorPath     = "PROOFLOAD_TEST_PROJECTOR_PATH"
	projectorPostgres = "PROOFLOAD_TEST_PROJECTOR_POSTGRES"
	projectorUntil    = "PROOFLOAD_TEST_PROJECTOR_UNTIL"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(projectorNATS); url != "" {
		if err := projectUntil(url, os.Getenv(projectorUntil)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// projectUntil prints "open" once it projects and "done" when the tables show the position.
func projectUntil(url, until string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	position, err := strconv.ParseUint(until, 10, 64)
	if err != nil {
		return err
	}
	conn, err := eventstore.Connect(url)
	if err != nil {
		return err
	}
	store, err := eventstore.Open(ctx, conn, eventstore.Options{})
	if err != nil {
		return err
	}
	db, err := Open(ctx, Options{Path: os.Getenv(projectorPath), Postgres: os.Getenv(projectorPostgres)})
	if err != nil {
		return err
	}
	go func() { _ = NewProjector(db, store, slog.New(slog.DiscardHandler)).Run(ctx) }()
	fmt.Println("open")
	if err := db.WaitFor(ctx, position); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

// projectorProcess is such a process. Its lines come one by one; the channel is closed when it has ended.
type projectorProcess struct {
	cmd   *exec.Cmd
	lines chan string
}

func (w *world) startProcess(url string, until uint64) *projectorProcess {
	w.t.Helper()
	p := &projectorProcess{cmd: exec.Command(os.Args[0]), lines: make(chan string, 2)}
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = append(os.Environ(), projectorNATS+"="+url, projectorPath+"="+w.where.Path, projectorPostgres+"="+w.where.Postgres,
		projectorUntil+"="+strconv.FormatUint(until, 10))
	out, err := p.cmd.StdoutPipe()
	must(w.t, err)
	must(w.t, p.cmd.Start())
	go func() {
		defer close(p.lines)
		for text := bufio.NewScanner(out); text.Scan(); {
			p.lines <- text.Text()
		}
		_ = p.cmd.Wait()
	}()
	return p
}

// kill ends the process and waits for its end.
func (p *projectorProcess) kill() {
	_ = p.cmd.Process.Kill()
	for range p.lines { // until it has ended
	}
}

// killed runs a process and kills it a moment after it began to project. It says whether it was done before.
func (p *projectorProcess) killed(after time.Duration) (done bool) {
	defer p.kill()
	if line := <-p.lines; line != "open" {
		return line == "done"
	}
	select {
	case line := <-p.lines:
		return line == "done"
	case <-time.After(after):
		return false
	}
}

// bulk appends runs of the profile peak, three commits each, from several goroutines. It gives the end of the stream.
func (w *world) bulk(runs int) uint64 {
	w.t.Helper()
	const writers = 8
	var all sync.WaitGroup
	for g := range writers {
		all.Go(func() {
			for i := g; i < runs; i += writers {
				if err := appendRun(w.t.Context(), w.store, fmt.Sprintf("r%06d", i)); err != nil {
					w.t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	position, err := w.store.Position(w.t.Context())
	must(w.t, err)
	w.seq = position.Last
	return position.Last
}

func appendRun(ctx context.Context, store *eventstore.Store, id string) error {
	requested := pins(id)
	requested.ProfileID = "f" + id[len(id)-2:] // of 100 profiles
	var tail eventstore.Tail
	agg := eventstore.Aggregate{Workspace: "ws", Type: domain.AggregateRun, ID: id}
	for i, e := range []domain.Event{requested, domain.RunStarted{RunID: id, Worker: "w"}, completed(id)} {
		name, schema, data, err := domain.Encode(e)
		if err != nil {
			return err
		}
		r, err := store.Append(ctx, agg, tail, eventstore.Commit{
			CommandID: fmt.Sprint(id, i), Member: "ann", At: at(1), Events: []eventstore.Event{{Name: name, Schema: schema, Data: data}},
		})
		if err != nil {
			return err
		}
		tail = r.Tail()
	}
	return nil
}

// soak is how long a soak test goes on; 0: its short form.
func soak(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PROOFLOAD_SOAK")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	must(t, err)
	return d
}

// onNATS is a world on a nats-server process, which other processes reach by the URL.
func onNATS(t *testing.T, on database) (*world, string) {
	t.Helper()
	server := natstest.Start(t, natstest.Options{})
	store, err := eventstore.Open(t.Context(), server.Connect(t), eventstore.Options{})
	must(t, err)
	return &world{t: t, store: store, where: on.options(t), tails: map[eventstore.Aggregate]eventstore.Tail{}}, server.URL
}

// A process that projects is killed at random moments and started again until it is done: 12 000 events, or 100 000 when
// PROOFLOAD_SOAK is set. The tables equal those of a fresh rebuild.
func TestSoakProjectorKill(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		runs, atMost := 4000, 100*time.Millisecond
		if soak(t) > 0 {
			runs, atMost = 33_400, 400*time.Millisecond
		}
		w, url := onNATS(t, on)
		w.shop()
		end := w.bulk(runs)
		seed := rand.Uint64()
		random, kills := rand.New(rand.NewPCG(seed, 0)), 0 //nolint:gosec // no secret
		until := end + 1                                   // the first is never done, however quick it is
		for ; !w.startProcess(url, until).killed(time.Duration(random.Int64N(int64(atMost)))); kills++ {
			until = end
			atMost += atMost / 2 // or on a busy machine none gets anywhere
		}
		t.Logf("%d events, %d kills, seed %d", end, kills, seed)
		w.open()
		shown := dump(t, w.db)
		if len(shown["runs"]) != runs {
			t.Errorf("%d runs, want %d; %d kills", len(shown["runs"]), runs, kills)
		}
		must(t, NewProjector(w.db, w.store, slog.New(slog.DiscardHandler)).Rebuild(t.Context(), Views))
		if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" {
			t.Errorf("%d kills, seed %d: %s", kills, seed, diff)
		}
	})
}

// Two processes project the same read models on PostgreSQL; one of them, at random, is killed again and again. The other
// takes over, and the tables equal those of a fresh rebuild.
func TestSoakTakeOver(t *testing.T) {
	runs := 3000
	if soak(t) > 0 {
		runs = 33_400
	}
	w, url := onNATS(t, onPostgres)
	w.shop()
	end := w.bulk(runs)
	w.open()
	seed := rand.Uint64()
	random, kills := rand.New(rand.NewPCG(seed, 0)), 0 //nolint:gosec // no secret
	processes := []*projectorProcess{w.startProcess(url, end), w.startProcess(url, end)}
	for atMost := time.Second; w.db.Status().Position < end; atMost += atMost / 5 { // or on a busy machine none gets anywhere
		time.Sleep(time.Duration(random.Int64N(int64(atMost))))
		i := random.IntN(2)
		processes[i].kill()
		processes[i] = w.startProcess(url, end)
		kills++
	}
	for _, p := range processes {
		p.kill()
	}
	t.Logf("%d events, %d kills, seed %d", end, kills, seed)
	shown := dump(t, w.db)
	must(t, NewProjector(w.db, w.store, slog.New(slog.DiscardHandler)).Rebuild(t.Context(), Views))
	if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" || len(shown["runs"]) != runs {
		t.Errorf("%d runs, want %d; %d kills, seed %d: %s", len(shown["runs"]), runs, kills, seed, diff)
	}
}
