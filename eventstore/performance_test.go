package eventstore

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestPerformanceAppend prints what the store costs on top of JetStream: appends against bare guarded publishes of
// the same payload, in turns. Without PROOFLOAD_BENCH it is short, and only counts.
func TestPerformanceAppend(t *testing.T) {
	rounds, n := 1, 50
	if os.Getenv("PROOFLOAD_BENCH") != "" {
		rounds, n = 15, 5000
	}
	s := newStore(t)
	var bare, ours []time.Duration
	for round := range rounds {
		bare = append(bare, timed(func() { publishBare(t, s, fmt.Sprint("bare-", round), n) }))
		ours = append(ours, timed(func() { appendChain(t, s, profile(fmt.Sprint("ours-", round)), n) }))
	}
	if got, want := position(t, s), uint64(2*rounds*n); got != want {
		t.Errorf("%d messages are stored, want %d", got, want)
	}
	if rounds > 1 {
		slices.Sort(bare)
		slices.Sort(ours)
		perBare, perOurs := bare[rounds/2]/time.Duration(n), ours[rounds/2]/time.Duration(n)
		fmt.Printf("| work | bare guarded publish | Store.Append | rate against bare |\n| --- | --- | --- | --- |\n")
		fmt.Printf("| a commit of %d bytes, one writer, median of %d | %v | %v | %.2f |\n", len(payload(t)), rounds, perBare, perOurs, float64(perBare)/float64(perOurs))
	}
}

func timed(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

// payload is a commit as appendChain makes them: with the hash of the one before.
func payload(t testing.TB) []byte {
	t.Helper()
	c := commit(1)
	c.PrevHash = hashABC
	data, err := encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func publishBare(t testing.TB, s *Store, id string, n int) {
	t.Helper()
	data, header := payload(t), nats.Header{HeaderCommandID: {"cmd-1"}, HeaderEvents: {"ProfileSaved"}}
	var last uint64
	for range n {
		msg := &nats.Msg{Subject: profile(id).Subject(), Header: nats.Header{}, Data: data}
		for k, v := range header {
			msg.Header[k] = v
		}
		ack, err := s.js.PublishMsg(t.Context(), msg, jetstream.WithExpectStream(StreamEvents), jetstream.WithExpectLastSequencePerSubject(last))
		if err != nil {
			t.Fatal(err)
		}
		last = ack.Sequence
	}
}
