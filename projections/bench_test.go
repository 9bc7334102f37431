package projections

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// benchFacts are n runs, each requested, started and completed, spread over 100 profiles.
func benchFacts(n int) []reading {
	var batches []reading
	var r reading
	seq := uint64(0)
	add := func(e domain.Event) {
		seq++
		r.facts = append(r.facts, fact{seq: seq, at: Time{at(seq)}, member: "ann", workspace: "ws", event: e})
		if len(r.facts) == batchSize {
			r.last = eventstore.Record{Seq: seq}
			batches, r = append(batches, r), reading{}
		}
	}
	for i := range n {
		id := fmt.Sprintf("r%07d", i)
		requested := pins(id)
		requested.ProfileID = fmt.Sprint("f", i%100)
		add(requested)
		add(domain.RunStarted{RunID: id, Worker: "w"})
		add(completed(id))
	}
	r.last = eventstore.Record{Seq: seq}
	return append(batches, r)
}

// fill writes the facts without a stream.
func fill(b *testing.B, batches []reading) *DB {
	b.Helper()
	db, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "views.db")})
	must(b, err)
	b.Cleanup(func() { must(b, db.Close()) })
	from, err := loadCheckpoint(b.Context(), liveWriter(db), at(0))
	must(b, err)
	for _, batch := range batches {
		next := from
		next.Seq = batch.last.Seq
		_, err := batch.write(b.Context(), liveWriter(db), from, next)
		must(b, err)
		from = next
	}
	return db
}

// BenchmarkApply measures the tables alone: events per second of runs, 500 a transaction.
func BenchmarkApply(b *testing.B) {
	const runs = 5000
	batches := benchFacts(runs)
	for b.Loop() {
		fill(b, batches)
	}
	b.ReportMetric(float64(b.N*3*runs)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRunsPage reads the first and the last page of 50 among 100 000 runs.
func BenchmarkRunsPage(b *testing.B) {
	const runs = 100_000
	db := fill(b, benchFacts(runs))
	yes, no := true, false
	filters := map[string]RunFilter{"all": {}, "completed": {Status: domain.StatusCompleted}, "outdated": {Outdated: &yes}, "current": {Outdated: &no}}
	for name, filter := range filters {
		for place, after := range map[string]int64{"first": 0, "last": 3*50 + 1} {
			b.Run(name+"/"+place, func(b *testing.B) {
				for b.Loop() {
					_, err := db.Runs(b.Context(), "p", filter, Page{After: after, Limit: 50})
					must(b, err)
				}
			})
		}
	}
}
