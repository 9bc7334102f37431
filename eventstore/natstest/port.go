package natstest

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// The ports that servers of tests get. They lie below those that systems give to outgoing connections: one of those could
// take a port before its server does.
const (
	firstPort = 15000
	portCount = 17000
)

// portsGiven counts from a place of its own in each process.
var portsGiven = func() *atomic.Uint32 {
	var n atomic.Uint32
	n.Store(rand.Uint32N(portCount))
	return &n
}()

// FreeAddress is an address on loopback where nobody listens, each time another one: between this call and the moment at
// which its server listens a port is free for others too, and of a dozen chosen at random two are the same once in 200 times.
// Until the test ends no test of another process gets it either, also while its server is down: who holds the UDP port of the
// same number has the number.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	for range portCount {
		port := firstPort + int(portsGiven.Add(1)%portCount)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := config.ListenPacket(context.Background(), "udp", address)
		if err != nil {
			continue
		}
		if l, err := config.Listen(context.Background(), "tcp", address); err == nil {
			_ = l.Close()
			t.Cleanup(func() { _ = held.Close() })
			return address
		}
		_ = held.Close()
	}
	t.Fatal("no free port")
	return ""
}
