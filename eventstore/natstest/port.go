package natstest

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// freePort is an address on loopback where nobody listens. It lies below the ports that systems give to outgoing
// connections: one of those could take it before the server does.
func freePort(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(15000+rand.IntN(17000)))
		l, err := config.Listen(context.Background(), "tcp", address)
		if err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}
