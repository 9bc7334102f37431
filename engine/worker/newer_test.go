package worker

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// A worker that lacks the engine of a run leaves it as it is, for longer than one that failed, and another worker gives it the
// same result as ever.
func TestAnOlderWorkerGivesARunBack(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	var log bytes.Buffer
	older := s.worker("older")
	older.Logger, older.newest, older.newer = slog.New(slog.NewTextHandler(&log, nil)), domain.EngineVersion-1, 10*time.Second
	stop := s.start(older)
	consumer := s.consumer(older)
	s.until("it is delivered", func() bool { return s.info(consumer).Delivered.Consumer > 0 })
	time.Sleep(retryAfter + 500*time.Millisecond)
	info := s.info(consumer)
	stop()
	if info.Delivered.Consumer != 1 || info.NumAckPending != 1 {
		t.Errorf("it was delivered %d times, %d wait for an answer", info.Delivered.Consumer, info.NumAckPending)
	}
	if !strings.Contains(log.String(), "a run waits for a newer worker") {
		t.Errorf("the log says\n%s", &log)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("it is an error:\n%s", &log)
	}
	s.start(s.worker("newer"))
	completed, ok := s.ended(id).Outcome.(domain.RunCompleted)
	if want := s.hash("arrivals-burst"); !ok || completed.ResultHash != want {
		t.Errorf("outcome %+v, want the hash %s", completed, want)
	}
	if diff := cmp.Diff([]string{"newer"}, s.starts(id)); diff != "" {
		t.Errorf("it was taken up by others (-want +got):\n%s", diff)
	}
}

// Four deliveries leave an upgrade its time.
func TestARunWaitsFiveMinutesForANewerWorker(t *testing.T) {
	s := newShop(t)
	w := s.worker("a")
	var waits time.Duration
	for times := 1; times < maxDeliveries; times++ {
		waits += time.Duration(times) * w.newer
	}
	if waits != 5*time.Minute {
		t.Errorf("it waits %v", waits)
	}
}

// What a request says in a form of later is for a newer worker too.
func TestTheEngineOfARecord(t *testing.T) {
	name, schema, data, err := domain.Encode(domain.RunRequested{EngineVersion: 2})
	if err != nil {
		t.Fatal(err)
	}
	requested := eventstore.Event{Name: name, Schema: schema, Data: data}
	later := requested
	later.Schema = 1000
	for _, tt := range []struct {
		events []eventstore.Event
		want   int
	}{
		{nil, 0},
		{[]eventstore.Event{{Name: "RunStarted", Schema: 1000}}, 0},
		{[]eventstore.Event{{Name: "RunStarted"}, requested}, 2},
		{[]eventstore.Event{later}, math.MaxInt},
	} {
		if got := engineOf(eventstore.Record{Commit: eventstore.Commit{Events: tt.events}}); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.events, got, tt.want)
		}
	}
}
