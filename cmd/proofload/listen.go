package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// listenOptions say who can reach the API, and how a member is known.
type listenOptions struct {
	address     string         // host:port; port 0: the next free one
	certificate *certificate   // nil: plain HTTP
	proxies     []netip.Prefix // from which the user header counts
	userHeader  string
	hosts       []string // that a Host header may name, beside loopback
}

// loopback says whether nobody but this machine can reach the address.
func (o listenOptions) loopback() bool {
	host, _, err := net.SplitHostPort(o.address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// anyHost says whether a Host header may name anything: a server that others reach and whose names nobody told. A
// page of another site, under a name that it made resolve to the server, brings no token and no cookie; a user header
// would be set by the proxy, so that the names are then needed.
func (o listenOptions) anyHost() bool {
	return !o.loopback() && len(o.hosts) == 0 && o.userHeader == ""
}

// proxiesOnly says whether all others than the proxies and this machine are refused: their tokens would travel in
// plain text.
func (o listenOptions) proxiesOnly() bool { return o.certificate == nil && len(o.proxies) > 0 }

// listening makes the options of the flags and refuses what would give tokens away.
func (o serveOptions) listening() (listenOptions, error) {
	l := listenOptions{address: o.listen, userHeader: o.authHeader, hosts: o.hosts}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return l, fmt.Errorf("--listen %q: %w", o.listen, err)
	}
	for _, text := range o.behindProxy {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return l, fmt.Errorf("--behind-proxy %q: write the proxy's addresses as in 10.0.0.7/32: %w", text, err)
		}
		l.proxies = append(l.proxies, prefix)
	}
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return l, errors.New("--tls-cert and --tls-key go together")
	}
	if o.tlsCert != "" {
		var err error
		if l.certificate, err = readCertificate(o.tlsCert, o.tlsKey); err != nil {
			return l, err
		}
	}
	return l, l.check()
}

func (o listenOptions) check() error {
	switch {
	case o.userHeader != "" && len(o.proxies) == 0:
		return errors.New("--auth-header needs --behind-proxy: anybody could send the header")
	case o.userHeader != "" && !isHeaderName(o.userHeader):
		return fmt.Errorf("--auth-header %q: it is the name of a header that the proxy sets, such as X-Forwarded-User", o.userHeader)
	case o.userHeader != "" && len(o.hosts) == 0:
		return errors.New("--auth-header needs --host with the name that the proxy sends as Host: " +
			"a page of another site could make its own name resolve to the proxy or to this machine")
	case slices.ContainsFunc(o.hosts, func(h string) bool { return !isHost(h) }):
		return fmt.Errorf("--host %s: a host is a name or an address as in --host proofload.example, without scheme and port", strings.Join(o.hosts, ","))
	case !o.loopback() && o.certificate == nil && len(o.proxies) == 0:
		return fmt.Errorf("--listen %s is refused: tokens would travel in plain text. Listen on loopback, as in --listen %s, "+
			"or give --tls-cert and --tls-key, or --behind-proxy with the addresses of the proxy that encrypts", o.address, defaultListen)
	}
	return nil
}

// isHost says whether a text is a host name or an address, without a port.
func isHost(host string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host != "" && strings.Trim(host, letters) == ""
}

// ownHeaders are those that this server, HTTP or a proxy on its way gives another meaning: clients send them.
var ownHeaders = []string{
	"authorization", "cookie", "host", "origin", "referer", "content-type", "content-length", "content-encoding", "if-match",
	"if-none-match", "prefer", "idempotency-key", "x-request-id", "forwarded", "via", "x-real-ip", "x-forwarded-for",
	"x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-forwarded-server", "x-forwarded-prefix", "user-agent", "accept",
	"accept-encoding", "accept-language", "accept-charset", "connection", "upgrade", "transfer-encoding", "te", "trailer", "expect",
	"range", "cache-control", "pragma", "date", "proxy-authorization",
}

// isHeaderName says whether a header can name a user. Those that have another meaning cannot.
func isHeaderName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	lower := strings.ToLower(name)
	return strings.Trim(name, letters) == "" && !strings.HasPrefix(lower, "sec-") && !slices.Contains(ownHeaders, lower)
}
