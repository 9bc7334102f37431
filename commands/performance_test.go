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
		fmt.Printf("| work, one writer, median of %d | bytes of a commit | bare guarded publishes | command | rate against bare | bar |\n", rounds)
		fmt.Printf("| --- | --- | --- | --- | --- | --- |\n")
	}
	w := newWorld(t)
	for _, work := range []commandWork{
		{"rename a project %d times: nothing else is read", "≥ 0.5", renameOften},
		{"save %d versions of a profile: project and scenario are read, the document stored (the bare side stores it too)", "≥ 0.5", saveOften},
	} {
		work.measure(t, w, rounds, n)
	}
}

// commandWork sends n commands to a new aggregate, which has one commit before. It gives the aggregate, how long the
// commands took, and the documents that they stored.
type commandWork struct {
	what, bar string
	send      func(t testing.TB, w world, name string, n int) (eventstore.Aggregate, time.Duration, [][]byte)
}

func (work commandWork) measure(t *testing.T, w world, rounds, n int) {
	t.Helper()
	var bare, ours []time.Duration
	size := 0
	for round := range rounds {
		agg, took, documents := work.send(t, w, fmt.Sprint("round-", round), n)
		stored := must(w.store.Load(t.Context(), agg))(t)
		if got, want := len(stored), n+1; got != want {
			t.Fatalf("%d commits are stored, want %d", got, want)
		}
		messages := messagesOf(t, w, stored[1:])
		size = len(messages[0].Data)
		ours = append(ours, took)
		bare = append(bare, timed(func() { publishBare(t, w, agg.ID, messages, documents) }))
	}
	if rounds > 1 {
		slices.Sort(bare)
		slices.Sort(ours)
		perBare, perOurs := bare[rounds/2]/time.Duration(n), ours[rounds/2]/time.Duration(n)
		fmt.Printf("| %s | %d | %v | %v | %.2f | %s |\n", fmt.Sprintf(work.what, n), size, perBare, perOurs, float64(perBare)/float64(perOurs), work.bar)
	}
}

func timed(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

func renameOften(t testing.TB, w world, name string, n int) (eventstore.Aggregate, time.Duration, [][]byte) {
	t.Helper()
	id := must(w.CreateProject(t.Context(), CreateProject{Meta: w.meta(name), WorkspaceID: w.WorkspaceID, Name: "Shop"}))(t).ID
	took := timed(func() {
		for i := range n {
			cmd := RenameProject{Meta: Meta{Member: w.MemberID, BodyHash: "body"}, ProjectID: id, Base: i, Name: fmt.Sprint("Shop ", i)}
			must(w.RenameProject(t.Context(), cmd))(t)
		}
	})
	return project(w.WorkspaceID, id).Aggregate, took, nil
}

func saveOften(t testing.TB, w world, name string, n int) (eventstore.Aggregate, time.Duration, [][]byte) {
	t.Helper()
	cmd := w.profile(name, name)
	cmd.ProfileID = must(w.SaveProfile(t.Context(), cmd))(t).ID
	documents := make([][]byte, n)
	for i := range documents {
		documents[i] = fmt.Appendf(nil, "%s %d %0900d", name, i, i)
	}
	took := timed(func() {
		for i, document := range documents {
			cmd.Meta, cmd.Base, cmd.Raw = Meta{Member: w.MemberID, BodyHash: "body"}, i+1, document
			must(w.SaveProfile(t.Context(), cmd))(t)
		}
	})
	return profile(w.WorkspaceID, cmd.ProfileID).Aggregate, took, documents
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

// publishBare publishes the messages to a subject of their own, each after its document, if there are any, with the guards
// and the lengths of subject that the commands have.
func publishBare(t testing.TB, w world, id string, messages []*nats.Msg, documents [][]byte) {
	t.Helper()
	js := w.store.JetStream()
	var last uint64
	for i, msg := range messages {
		if documents != nil {
			must(js.Publish(t.Context(), fmt.Sprintf("blob.%s-%037d", id, i), documents[i], jetstream.WithExpectStream(eventstore.StreamBlobs),
				jetstream.WithExpectLastSequencePerSubject(0)))(t)
		}
		msg.Subject = eventstore.Aggregate{Workspace: "bare", Type: "project", ID: id}.Subject()
		last = must(js.PublishMsg(t.Context(), msg, jetstream.WithExpectStream(eventstore.StreamEvents),
			jetstream.WithExpectLastSequencePerSubject(last)))(t).Sequence
	}
}
