package worker

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// Metadata of a message: what its record and its delivery say.
const (
	metaWorkspace = "workspace"
	metaRun       = "run"
	metaEvents    = "events" // names, with commas
	metaMember    = "member"
	metaCommand   = "command_id"
	metaEngine    = "engine"    // the version that a requested run is pinned to; 0 of other records
	metaDelivered = "delivered" // how often, this one included
	metaNewer     = "newer"     // set when the worker gives it back to a newer one
)

// translate makes a Watermill message of a delivered record; it also says how often it was delivered.
func translate(ctx context.Context, m jetstream.Msg) (*message.Message, uint64, error) {
	record, err := eventstore.DecodeMsg(m)
	if err != nil {
		return nil, 0, err
	}
	delivered, err := m.Metadata()
	if err != nil {
		return nil, 0, err
	}
	msg := message.NewMessageWithContext(ctx, strconv.FormatUint(record.Seq, 10), m.Data())
	names := make([]string, len(record.Events))
	for i, e := range record.Events {
		names[i] = e.Name
	}
	msg.Metadata = message.Metadata{
		metaWorkspace: record.Aggregate.Workspace,
		metaRun:       record.Aggregate.ID,
		metaEvents:    strings.Join(names, ","),
		metaMember:    record.Member,
		metaCommand:   record.CommandID,
		metaEngine:    strconv.Itoa(engineOf(record)),
		metaDelivered: strconv.FormatUint(delivered.NumDelivered, 10),
	}
	middleware.SetCorrelationID(record.CorrelationID, msg)
	return msg, delivered.NumDelivered, nil
}

// engineOf is the engine version of a requested run. A request in a form that came later is one of a newer engine too.
func engineOf(record eventstore.Record) int {
	for _, e := range record.Events {
		if e.Name != (domain.RunRequested{}).EventName() {
			continue
		}
		event, err := domain.Decode(e.Name, e.Schema, e.Data)
		if requested, ok := event.(domain.RunRequested); ok {
			return requested.EngineVersion
		} else if errors.Is(err, domain.ErrNewerSchema) {
			return math.MaxInt
		}
	}
	return 0
}

// delivery is what a message says.
type delivery struct {
	workspace, runID string
	events           []string
	engine           int
	times            uint64 // how often it was delivered
	by               commands.Meta
}

func deliveryOf(msg *message.Message) (delivery, error) {
	times, err := strconv.ParseUint(msg.Metadata.Get(metaDelivered), 10, 64)
	engine, err2 := strconv.Atoi(msg.Metadata.Get(metaEngine))
	return delivery{
		workspace: msg.Metadata.Get(metaWorkspace),
		runID:     msg.Metadata.Get(metaRun),
		events:    strings.Split(msg.Metadata.Get(metaEvents), ","),
		engine:    engine,
		times:     times,
		by: commands.Meta{
			Member:        msg.Metadata.Get(metaMember),
			CorrelationID: middleware.MessageCorrelationID(msg),
			CausationID:   msg.Metadata.Get(metaCommand),
		},
	}, errors.Join(err, err2)
}
