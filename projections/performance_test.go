package projections

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// TestPerformanceRebuild prints what the projection costs on top of reading the stream and writing as many rows: a rebuild
// against an ordered consumer of JetStream and one prepared upsert per event, in turns. Without PROOFLOAD_BENCH it is
// short, and only counts.
func TestPerformanceRebuild(t *testing.T) {
	rounds, runs := 1, 100
	if os.Getenv("PROOFLOAD_BENCH") != "" {
		rounds, runs = 3, 66_667
		fmt.Printf("| database | events | bare replay and upserts | rebuild | rate against bare | bar |\n| --- | --- | --- | --- | --- | --- |\n")
	}
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		end := w.bulk(runs)
		p := NewProjector(w.db, w.store, slog.New(slog.DiscardHandler))
		var bare, ours []time.Duration
		for range rounds {
			bare = append(bare, timed(func() { w.replayBare(end, runs) }))
			ours = append(ours, timed(func() { must(t, p.Rebuild(t.Context(), Views)) }))
		}
		if n := len(dump(t, w.db)["runs"]); n != runs {
			t.Errorf("%d runs, want %d", n, runs)
		}
		if rounds > 1 {
			slices.Sort(bare)
			slices.Sort(ours)
			b, o := bare[rounds/2], ours[rounds/2]
			fmt.Printf("| %s | %d | %.0f events/s | %.0f events/s | %.2f | ≥ 0.6 |\n", on.name, end, float64(end)/b.Seconds(), float64(end)/o.Seconds(), b.Seconds()/o.Seconds())
		}
	})
}

func timed(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

// replayBare reads the stream without looking into it and writes a row of the table of runs, with the indexes of it, for
// each commit: no event is decoded, and nothing is asked of the database. Transactions have the size of the projector's.
func (w *world) replayBare(end uint64, runs int) {
	w.t.Helper()
	ctx := w.t.Context()
	tables, err := w.db.tables.beside(ctx)
	must(w.t, err)
	defer func() { must(w.t, tables.leave()) }()
	consumer, err := w.store.JetStream().OrderedConsumer(ctx, eventstore.StreamEvents, jetstream.OrderedConsumerConfig{})
	must(w.t, err)
	messages, err := consumer.Messages()
	must(w.t, err)
	defer messages.Stop()
	for seq := uint64(0); seq < end; {
		seq = w.upsertBare(ctx, tables.writer(), messages, min(batchSize, end-seq))
	}
	var n int
	must(w.t, tables.writer().GetContext(ctx, &n, `SELECT COUNT(*) FROM runs WHERE status = 'completed'`))
	if n < runs {
		w.t.Errorf("%d rows, want %d", n, runs)
	}
}

// upsertBare is one transaction.
func (w *world) upsertBare(ctx context.Context, db writer, messages jetstream.MessagesContext, size uint64) (seq uint64) {
	w.t.Helper()
	tx, err := db.BeginTxx(ctx, nil)
	must(w.t, err)
	upsert, err := tx.PreparexContext(ctx, tx.Rebind(bareUpsert))
	must(w.t, err)
	defer func() { _ = upsert.Close() }()
	for range size {
		message, err := messages.Next()
		must(w.t, err)
		meta, err := message.Metadata()
		must(w.t, err)
		seq = meta.Sequence.Stream
		_, err = upsert.ExecContext(ctx, bareRow(message.Subject(), message.Headers().Get(eventstore.HeaderEvents), seq)...)
		must(w.t, err)
	}
	must(w.t, tx.Commit())
	return seq
}

const bareUpsert = `INSERT INTO runs (id, workspace_id, project_id, profile_id, profile_version, profile_blob, branch_id, model_version, model_blob,
	scenario_id, scenario_version, scenario_blob, seed, engine_version, doubts, seq, requested_at, requested_by, status, started_at, ended_at,
	ended_seq, result_blob, result_hash, key_figures, problem_type, problem_title, issues, outdated_model, outdated_scenario, outdated, evicted)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE, FALSE, FALSE, FALSE)
	ON CONFLICT (id) DO UPDATE SET status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
	ended_seq = excluded.ended_seq, result_blob = excluded.result_blob, result_hash = excluded.result_hash, key_figures = excluded.key_figures`

var statusOf = map[string]domain.RunStatus{"RunStarted": domain.StatusRunning, "RunCompleted": domain.StatusCompleted}

// bareRow is a row with the values that a run of bulk has, without reading them from the commit.
func bareRow(subject, event string, seq uint64) []any {
	id := subject[strings.LastIndexByte(subject, '.')+1:]
	row := []any{
		id, "ws", "p", "f" + id[max(0, len(id)-2):], 1, blob("f1"), "p", 1, blob("m1"), "s", 1, blob("s1"), "18446744073709551615", 3, "[]",
		seq, at(seq).UnixMicro(), "ann", domain.StatusQueued, nil, nil, nil, "", "", "null", "", "", "[]",
	}
	if status := statusOf[event]; status != "" {
		row[18], row[19] = status, at(seq).UnixMicro()
		if status == domain.StatusCompleted {
			row[20], row[21], row[22], row[23], row[24] = at(seq).UnixMicro(), seq, blob("r"), blob("h"), `{"started":10,"completed":9,"failed":1,"p99Ms":12.5}`
		}
	}
	return row
}
