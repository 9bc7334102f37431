package worker

import (
	"context"
	"strconv"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/eventstore"
)

// Metadata of a message: what its record and its delivery say.
const (
	metaWorkspace = "workspace"
	metaRun       = "run"
	metaEvents    = "events" // names, with commas
	metaMember    = "member"
	metaCommand   = "command_id"
	metaDelivered = "delivered" // how often, this one included
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
		metaDelivered: strconv.FormatUint(delivered.NumDelivered, 10),
	}
	middleware.SetCorrelationID(record.CorrelationID, msg)
	return msg, delivered.NumDelivered, nil
}

// delivery is what a message says.
type delivery struct {
	workspace, runID string
	events           []string
	times            uint64 // how often it was delivered
	by               commands.Meta
}

func deliveryOf(msg *message.Message) (delivery, error) {
	times, err := strconv.ParseUint(msg.Metadata.Get(metaDelivered), 10, 64)
	return delivery{
		workspace: msg.Metadata.Get(metaWorkspace),
		runID:     msg.Metadata.Get(metaRun),
		events:    strings.Split(msg.Metadata.Get(metaEvents), ","),
		times:     times,
		by: commands.Meta{
			Member:        msg.Metadata.Get(metaMember),
			CorrelationID: middleware.MessageCorrelationID(msg),
			CausationID:   msg.Metadata.Get(metaCommand),
		},
	}, err
}
