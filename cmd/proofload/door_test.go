package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificateFor writes a self-signed certificate that is for what the template says.
func certificateFor(t *testing.T, template *x509.Certificate) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(1)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"c.pem": {Type: "CERTIFICATE", Bytes: der}, "k.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readCertificate(filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ownAddress is an address of this machine that is not loopback; where it has none, every address.
func ownAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	return "0.0.0.0"
}

// hasIPv6 says whether this machine has IPv6 on loopback: containers often do not.
func hasIPv6(t *testing.T) bool {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "[::1]:0")
	if err == nil {
		_ = l.Close()
	}
	return err == nil
}

// serveHere serves a folder in this process until the function that it returns is called.
func serveHere(t *testing.T, o nodeOptions) (n *node, stop func()) {
	t.Helper()
	n, err := startNode(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.serve(ctx) }()
	return n, func() {
		cancel()
		if err := errors.Join(<-served, n.close()); err != nil {
			t.Error(err)
		}
	}
}

// A command on the machine of a server reaches it, wherever it listens, behind whatever, and whatever its certificate is for.
func TestCommandsReachTheirServer(t *testing.T) {
	t.Parallel()
	now := time.Now()
	certificates := map[string]*certificate{
		"plain":              nil,
		"for a name":         certificateFor(t, &x509.Certificate{DNSNames: []string{"pl.example"}, NotAfter: now.Add(time.Hour)}),
		"for another IP":     certificateFor(t, &x509.Certificate{IPAddresses: []net.IP{{10, 9, 9, 9}}, NotAfter: now.Add(time.Hour)}),
		"with a common name": certificateFor(t, &x509.Certificate{Subject: pkix.Name{CommonName: "pl.example"}, NotAfter: now.Add(time.Hour)}),
		"past its time":      certificateFor(t, &x509.Certificate{DNSNames: []string{"pl.example"}, NotBefore: now.Add(-2 * time.Hour), NotAfter: now.Add(-time.Hour)}),
	}
	far, near := netip.MustParsePrefix("10.99.0.0/16"), netip.MustParsePrefix("127.0.0.0/8")
	access := map[string]listenOptions{
		"":                                  {},
		", --host":                          {hosts: []string{"pl.example"}},
		", behind a proxy":                  {proxies: []netip.Prefix{far}},
		", behind a proxy with --host":      {proxies: []netip.Prefix{far}, hosts: []string{"pl.example"}},
		", behind a proxy that names users": {proxies: []netip.Prefix{near, far}, hosts: []string{"pl.example"}, userHeader: "X-User"},
	}
	hosts := []string{"127.0.0.1", "localhost", "0.0.0.0", ownAddress(t)}
	if hasIPv6(t) {
		hosts = append(hosts, "[::1]", "[::]")
	}
	for _, host := range hosts {
		dir := t.TempDir()
		for named, certificate := range certificates {
			for way, o := range access {
				if o.address, o.certificate = host+":0", certificate; o.check() != nil {
					continue // serve refuses it
				}
				if named != "plain" && named != "for another IP" && (way != "" || host != "0.0.0.0") {
					continue // the other certificates once
				}
				t.Run(host+", "+named+way, func(t *testing.T) {
					_, stop := serveHere(t, nodeOptions{dir: dir, listenOptions: o, noEngine: true, logger: slog.New(slog.DiscardHandler)})
					defer stop()
					for _, args := range [][]string{{"token", "list"}, {"health"}} {
						var out, errs bytes.Buffer
						eventually(t, func() bool { // it is ready when its read models are complete
							out.Reset()
							return run(t.Context(), append(args, "--data", dir), streams{strings.NewReader(""), &out, &errs}) == exitOK && out.Len() > 0
						}, "%s answers; %s", args[0], &errs)
					}
				})
			}
		}
	}
}

// The door opens to this machine, to who read the folder, and to nobody by the header of a proxy.
func TestTheDoor(t *testing.T) {
	dir := t.TempDir()
	c := certificateFor(t, &x509.Certificate{DNSNames: []string{"pl.example"}, NotAfter: time.Now().Add(time.Hour)})
	n, stop := serveHere(t, nodeOptions{dir: dir, noEngine: true, logger: slog.New(slog.DiscardHandler), listenOptions: listenOptions{
		address: "0.0.0.0:0", certificate: c, proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, hosts: []string{"pl.example"}, userHeader: "X-User",
	}})
	address, err := readAddress(dir)
	if err != nil {
		t.Fatal(err)
	}
	if url := strings.TrimPrefix(address.URL, "https://"); !netip.MustParseAddrPort(url).Addr().IsLoopback() || address.URL == n.url() {
		t.Errorf("the door is at %s, the API at %s", address.URL, n.url())
	}
	client, err := address.client()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(client *http.Client, url string, change func(*http.Request)) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/session", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		answer, err := client.Do(r)
		if err != nil {
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	token := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+n.token) }
	user := func(r *http.Request) { r.Header.Set("X-User", "admin") }
	elsewhere := func(host string) func(*http.Request) {
		return func(r *http.Request) { token(r); r.Host = host }
	}
	loose := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}} //nolint:gosec // it only asks
	for name, got := range map[string][2]int{
		"a token":                          {ask(client, address.URL, token), 200},
		"nothing":                          {ask(client, address.URL, func(*http.Request) {}), 401},
		"the header of a proxy":            {ask(client, address.URL, user), 401},
		"the header of a proxy at the API": {ask(loose, n.url(), user), 200},
		"another host":                     {ask(client, address.URL, elsewhere("evil.example")), 403},
		"the host of the API":              {ask(client, address.URL, elsewhere("pl.example")), 200},
		"another certificate":              {ask(client, n.url(), token), 0},
		"a client that does not know it":   {ask(&http.Client{}, address.URL, token), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d, want %d", name, got[0], got[1])
		}
	}
	stop()
	if _, err := net.DialTimeout("tcp", strings.TrimPrefix(address.URL, "https://"), time.Second); err == nil {
		t.Error("the door is open after the stop")
	}
	if _, err := os.Stat(filepath.Join(dir, serverFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the stop: %v", err)
	}
}
