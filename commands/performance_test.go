package commands

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/eventstore"
)

// TestPerformanceCommands prints what the whole path of a command costs on top of JetStream: load, decode, fold, decide
// and append, against bare guarded publishes of the very bytes that the commands stored, in turns. Without
// PROOFLOAD_BENCH it is short, and only counts.
func TestPerformanceCommands(t *testing.T) {
	rounds, n := 1, 10
	if os.Getenv("PROOFLOAD_BENCH") != "" {
		rounds, n = 15, 1000
	}
	w := newWorld(t)
	var bare, ours []time.Duration
	size := 0
	for round := range rounds {
		id := must(w.CreateProject(t.Context(), CreateProject{Meta: w.meta(fmt.Sprint("project-", round)), WorkspaceID: w.WorkspaceID, Name: "Shop"}))(t).ID
		ours = append(ours, timed(func() { renameOften(t, w, id, n) }))
		stored := must(w.store.Load(t.Context(), project(w.WorkspaceID, id).Aggregate))(t)
		if got, want := len(stored), n+1; got != want {
			t.Fatalf("%d commits are stored, want %d", got, want)
		}
		messages := messagesOf(t, w, stored[1:])
		size = len(messages[0].Data)
		bare = append(bare, timed(func() { publishBare(t, w, fmt.Sprint("bare-", round), messages) }))
	}
	if rounds > 1 {
		slices.Sort(bare)
		slices.Sort(ours)
		perBare, perOurs := bare[rounds/2]/time.Duration(n), ours[rounds/2]/time.Duration(n)
		fmt.Printf("| work | bare guarded publish | command | rate against bare | bar |\n| --- | --- | --- | --- | --- |\n")
		fmt.Printf("| rename a project %d times, commits of %d bytes, one writer, median of %d | %v | %v | %.2f | ≥ 0.5 |\n",
			n, size, rounds, perBare, perOurs, float64(perBare)/float64(perOurs))
	}
}

func timed(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

func renameOften(t testing.TB, w world, projectID string, n int) {
	t.Helper()
	for i := range n {
		cmd := RenameProject{Meta: Meta{Member: w.MemberID, BodyHash: "body"}, ProjectID: projectID, Base: i, Name: fmt.Sprint("Shop ", i)}
		if _, err := w.RenameProject(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
	}
}

// messagesOf are the stored messages of commits as JetStream has them: headers and data.
func messagesOf(t testing.TB, w world, records []eventstore.Record) []*nats.Msg {
	t.Helper()
	stream := must(w.store.JetStream().Stream(t.Context(), eventstore.StreamEvents))(t)
	messages := make([]*nats.Msg, len(records))
	for i, r := range records {
		raw := must(stream.GetMsg(t.Context(), r.Seq))(t)
		messages[i] = &nats.Msg{Header: nats.Header{
			eventstore.HeaderCommandID: raw.Header[eventstore.HeaderCommandID],
			eventstore.HeaderEvents:    raw.Header[eventstore.HeaderEvents],
		}, Data: raw.Data}
	}
	return messages
}

func publishBare(t testing.TB, w world, id string, messages []*nats.Msg) {
	t.Helper()
	var last uint64
	for _, msg := range messages {
		msg.Subject = eventstore.Aggregate{Workspace: "bare", Type: "project", ID: id}.Subject()
		ack, err := w.store.JetStream().PublishMsg(t.Context(), msg, jetstream.WithExpectStream(eventstore.StreamEvents),
			jetstream.WithExpectLastSequencePerSubject(last))
		if err != nil {
			t.Fatal(err)
		}
		last = ack.Sequence
	}
}
