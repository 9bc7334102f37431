package eventstore

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect connects to a NATS server or cluster: one URL or several with commas. A lost connection is taken up
// again for ever; only the first attempt fails, as ErrUnreachable where another may succeed. No error shows a password.
func Connect(urls string, more ...nats.Option) (*nats.Conn, error) {
	conn, err := nats.Connect(urls, append(append(connOptions(), pings()...), more...)...)
	if err != nil {
		return nil, connectError(urls, err)
	}
	return conn, nil
}

// connectError says what to do. Of a URL that cannot be read nothing is shown: nobody knows which part is the password.
func connectError(urls string, err error) error {
	var unreadable *url.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unreadable):
		return errors.New("a NATS URL cannot be read: write it as nats://HOST:PORT, with tls:// or nats://USER:PASSWORD@HOST:PORT where it is " +
			"needed, and characters such as @ : / , in a password as %40 %3A %2F %2C")
	case errors.As(err, &untrusted):
		return fmt.Errorf("the certificate of NATS at %s is not trusted: %w: name the file of the certificates that sign it", withoutSecrets(urls), err)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("NATS at %s refuses to let us in: %w: check user and password, or the credentials", withoutSecrets(urls), err)
	}
	return &unreachableError{urls: withoutSecrets(urls), cause: err}
}

// unreachableError is an ErrUnreachable of a first attempt.
type unreachableError struct {
	urls  string
	cause error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("cannot connect to NATS at %s: %v: check the address and that the server runs", e.urls, e.cause)
}

func (e *unreachableError) Unwrap() []error { return []error{ErrUnreachable, e.cause} }

func connOptions() []nats.Option {
	return []nats.Option{
		nats.Name("proofload"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(2 * time.Second),
		nats.ReconnectBufSize(-1), // while there is no connection a message is refused, not kept: it would be stored after its sender gave up
	}
}

// pings find out within 4 s that a server hangs: its connection stays open, and nothing comes over it.
func pings() []nats.Option {
	return []nats.Option{nats.PingInterval(time.Second), nats.MaxPingsOutstanding(3)}
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
