package natstest

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// stream makes a stream over the connection of the server, and stores a message in it.
func stream(t *testing.T, s *Server, replicas int) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(s.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	made, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "s", []byte("one")); err != nil {
		t.Fatal(err)
	}
	return made
}

func checkStored(t *testing.T, s jetstream.Stream) {
	t.Helper()
	if msg, err := s.GetMsg(t.Context(), 1); err != nil || string(msg.Data) != "one" {
		t.Errorf("%+v, %v", msg, err)
	}
}

func TestServerComesBackOnItsFolder(t *testing.T) {
	s := Start(t, Options{Settings: "max_payload: 1000"})
	made := stream(t, s, 1)
	s.Kill()
	if s.Running() || s.ready(t.Context()) == nil {
		t.Error("it serves although it was killed")
	}
	s.Start(t)
	s.WaitReady(t)
	if got := s.Connect(t).MaxPayload(); got != 1000 {
		t.Errorf("max_payload is %d: the settings do not count", got)
	}
	checkStored(t, made)
}

// Nobody gets the port of a server of a test that still runs, also while the server is down.
func TestAPortIsGivenOnce(t *testing.T) {
	address := FreeAddress(t)
	if held, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", address); err == nil {
		_ = held.Close()
		t.Errorf("%s is to be had twice", address)
	}
}

func TestServerHangs(t *testing.T) {
	s := Start(t, Options{})
	made := stream(t, s, 1)
	s.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := made.Info(ctx); err == nil {
		t.Error("it answers although it hangs")
	}
	s.Continue(t)
	s.WaitReady(t)
	checkStored(t, made)
}

func TestClusterLosesANode(t *testing.T) {
	c := StartCluster(t, 3)
	made := stream(t, c.Servers[0], 3)
	for _, s := range c.Servers {
		if c.StepDown(t, "S", s); c.Leader(t, "S") != s {
			t.Errorf("%s does not lead", s.Name)
		}
	}
	last := c.Leader(t, "S")
	if c.StepDown(t, "S", nil); c.Leader(t, "S") == last {
		t.Errorf("%s leads still", last.Name)
	}
	c.Servers[2].Kill()
	checkStored(t, made)
	c.Start(t)
	c.WaitReady(t)
	if c.StepDown(t, "S", c.Servers[2]); c.Leader(t, "S") != c.Servers[2] {
		t.Error("a node that came back does not lead")
	}
	checkStored(t, made)
}

// Ports that are asked for together are free until their servers listen: no two are the same.
func TestFreeAddressesDiffer(t *testing.T) {
	given := map[string]bool{}
	for range 1000 {
		given[FreeAddress(t)] = true
	}
	if len(given) != 1000 {
		t.Errorf("of 1000 addresses %d differ", len(given))
	}
}
