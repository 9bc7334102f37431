package worker

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

func TestAMessageSaysWhatItsRecordAndItsDeliverySay(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	agg := eventstore.Aggregate{Workspace: s.workspace, Type: domain.AggregateRun, ID: id}
	record, err := s.store.Last(t.Context(), agg)
	s.no(err)
	consumer, err := s.worker("a").consumer(t.Context(), runs)
	s.no(err)
	want := delivery{
		workspace: s.workspace, runID: id, events: []string{"RunRequested"}, engine: domain.EngineVersion,
		by: commands.Meta{Member: s.by.Member, CorrelationID: record.CorrelationID, CausationID: record.CommandID},
	}
	for want.times = 1; want.times <= 3; want.times++ {
		m, err := consumer.Next()
		s.no(err)
		msg, times, err := translate(t.Context(), m)
		s.no(err)
		got, err := deliveryOf(msg)
		s.no(err)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(delivery{})); diff != "" || times != want.times {
			t.Errorf("delivery %d is said to be %d (-want +got):\n%s", want.times, times, diff)
		}
		s.no(m.Nak())
	}
}

// What is no commit is put away, and does not stand in the way of what comes after it.
func TestAMessageThatCannotBeReadIsPutAway(t *testing.T) {
	s := newShop(t)
	profile := s.load("arrivals-burst")
	_, err := s.store.JetStream().Publish(t.Context(), "evt."+s.workspace+".run.damaged", []byte("{"))
	s.no(err)
	id := s.request(profile)
	w := s.worker("a")
	s.start(w)
	if status := s.ended(id).Status; status != domain.StatusCompleted {
		t.Errorf("the run is %s", status)
	}
	s.acked(w, 4) // the damaged one, RunRequested, RunStarted, RunCompleted; none is left that could come again
	consumer, err := w.consumer(t.Context(), runs)
	s.no(err)
	info, err := consumer.Info(t.Context())
	s.no(err)
	if info.NumRedelivered != 0 || info.Delivered.Consumer != 4 {
		t.Errorf("delivered %d, of these again %d", info.Delivered.Consumer, info.NumRedelivered)
	}
}
