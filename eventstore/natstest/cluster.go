package natstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Cluster is a number of servers that keep replicas of their streams.
type Cluster struct{ Servers []*Server }

// StartCluster starts a cluster and waits until it is ready. It ends with the test.
func StartCluster(t testing.TB, nodes int) *Cluster {
	t.Helper()
	return StartClusterOf(t, make([]Options, nodes))
}

// StartClusterOf starts a cluster with a node for each of the options, named n1, n2 and so on.
func StartClusterOf(t testing.TB, nodes []Options) *Cluster {
	t.Helper()
	listen := make([]string, len(nodes))
	for i := range nodes {
		listen[i] = FreeAddress(t)
	}
	c := &Cluster{}
	for i, opts := range nodes {
		opts.Settings += fmt.Sprintf("\ncluster { name: test, listen: %q, routes: [%s] }", listen[i], "nats://"+strings.Join(listen, ", nats://"))
		c.Servers = append(c.Servers, prepare(t, fmt.Sprintf("n%d", i+1), opts))
	}
	for _, s := range c.Servers {
		s.Start(t)
	}
	c.WaitReady(t)
	return c
}

// URL names all nodes, with commas.
func (c *Cluster) URL() string {
	urls := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		urls[i] = s.URL
	}
	return strings.Join(urls, ",")
}

// Kill is SIGKILL for all nodes.
func (c *Cluster) Kill() {
	for _, s := range c.Servers {
		s.Kill()
	}
}

// Start starts the nodes that do not run. It does not wait until they are ready.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	for _, s := range c.Servers {
		if !s.Running() {
			s.Start(t)
		}
	}
}

// WaitReady waits until all nodes have caught up and the cluster answers requests.
func (c *Cluster) WaitReady(t testing.TB) {
	t.Helper()
	for _, s := range c.Servers {
		s.WaitReady(t)
		s.connected(t, s.Name+" has no leader to ask", func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.AccountInfo(ctx)
			return err
		})
	}
}

// Leader is the node that leads the stream.
func (c *Cluster) Leader(t testing.TB, stream string) *Server {
	t.Helper()
	var leader *Server
	c.running(t).connected(t, "no leader of "+stream, func(ctx context.Context, js jetstream.JetStream) error {
		s, err := js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		info := s.CachedInfo()
		for _, node := range c.Servers {
			if info.Cluster != nil && info.Cluster.Leader == node.Name {
				leader = node
				return nil
			}
		}
		return errors.New("none")
	})
	return leader
}

// StepDown makes another node lead the stream: the named one, or any when to is nil.
func (c *Cluster) StepDown(t testing.TB, stream string, to *Server) {
	t.Helper()
	before := c.Leader(t, stream)
	for before != to {
		c.running(t).connected(t, stream+" keeps its leader", func(ctx context.Context, js jetstream.JetStream) error {
			return stepDown(ctx, js.Conn(), stream, to)
		})
		if now := c.Leader(t, stream); now == to || to == nil && now != before {
			return
		}
	}
}

// MoveConsumer makes another node lead a consumer of the stream.
func (c *Cluster) MoveConsumer(t testing.TB, stream, consumer string) {
	t.Helper()
	c.running(t).connected(t, consumer+" keeps its leader", func(ctx context.Context, js jetstream.JetStream) error {
		return request(ctx, js.Conn(), "$JS.API.CONSUMER.LEADER.STEPDOWN."+stream+"."+consumer, nil)
	})
}

// WaitConsumer waits until a consumer of the stream says where it stands.
func (c *Cluster) WaitConsumer(t testing.TB, stream, consumer string) {
	t.Helper()
	c.running(t).connected(t, consumer+" does not answer", func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.Consumer(ctx, stream, consumer)
		return err
	})
}

// WaitTakes waits until the streams of the subjects can be reached where js is connected. The nodes of a cluster hear of a stream
// one after another, and until then they answer a message with "no response from stream". Nothing is stored.
func WaitTakes(t testing.TB, js jetstream.JetStream, subjects ...string) {
	t.Helper()
	for _, subject := range subjects {
		eventually(t, "no stream takes "+subject, func(ctx context.Context) error {
			_, err := js.Publish(ctx, subject, nil, jetstream.WithExpectStream("another"))
			var refused *jetstream.APIError
			if errors.As(err, &refused) {
				return nil
			}
			return err
		})
	}
}

func stepDown(ctx context.Context, conn *nats.Conn, stream string, to *Server) error {
	var body []byte
	if to != nil {
		body = fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, to.Name)
	}
	return request(ctx, conn, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, body)
}

// request asks the API of JetStream for something.
func request(ctx context.Context, conn *nats.Conn, subject string, body []byte) error {
	reply, err := conn.RequestWithContext(ctx, subject, body)
	if err != nil {
		return err
	}
	var answer struct{ Error *jetstream.APIError }
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// running is a node that runs.
func (c *Cluster) running(t testing.TB) *Server {
	t.Helper()
	for _, s := range c.Servers {
		if s.Running() {
			return s
		}
	}
	t.Fatal("no node of the cluster runs")
	return nil
}

// connected tries over a connection to the server until it works.
func (s *Server) connected(t testing.TB, what string, try func(context.Context, jetstream.JetStream) error) {
	t.Helper()
	conn, err := nats.Connect(s.URL, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, what, func(ctx context.Context) error { return try(ctx, js) })
}
