package eventstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect connects to a NATS server or cluster: one URL or several with commas. A lost connection is taken up
// again for ever; only the first attempt fails.
func Connect(urls string) (*nats.Conn, error) {
	conn, err := nats.Connect(urls, connOptions()...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to NATS at %s: %w: check the address and that the server runs", withoutSecrets(urls), err)
	}
	return conn, nil
}

func connOptions() []nats.Option {
	return []nats.Option{
		nats.Name("proofload"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(5 * time.Second),
	}
}

// withoutSecrets drops user, password and token from the URLs.
func withoutSecrets(urls string) string {
	list := strings.Split(urls, ",")
	for i, raw := range list {
		scheme, rest, found := strings.Cut(strings.TrimSpace(raw), "://")
		if !found {
			scheme, rest = "nats", raw
		}
		list[i] = scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
	}
	return strings.Join(list, ",")
}

// atLeast tells whether a version such as 2.12.0-RC.1 is of the given release or a later one.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return false
	}
	gotMajor, errMajor := strconv.Atoi(parts[0])
	gotMinor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil {
		return false
	}
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}
