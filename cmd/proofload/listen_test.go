package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What would send tokens in plain text to others, or let anybody name a member, is refused.
func TestListening(t *testing.T) {
	cert, key := newCertificate(t)
	for _, test := range []struct {
		name  string
		flags serveOptions
		says  string // in the error; empty: it is accepted
	}{
		{"loopback", serveOptions{listen: "127.0.0.1:7711"}, ""},
		{"another loopback", serveOptions{listen: "127.0.0.2:0"}, ""},
		{"localhost", serveOptions{listen: "localhost:80"}, ""},
		{"IPv6 loopback", serveOptions{listen: "[::1]:7711"}, ""},
		{"all addresses", serveOptions{listen: ":7711"}, "plain text"},
		{"0.0.0.0", serveOptions{listen: "0.0.0.0:7711"}, "plain text"},
		{"IPv6 all", serveOptions{listen: "[::]:7711"}, "plain text"},
		{"an address", serveOptions{listen: "192.0.2.1:80"}, "plain text"},
		{"a name", serveOptions{listen: "example.org:80"}, "plain text"},
		{"a name that begins so", serveOptions{listen: "localhost.example.org:80"}, "plain text"},
		{"no port", serveOptions{listen: "127.0.0.1"}, "--listen"},
		{"nothing", serveOptions{}, "--listen"},
		{"TLS", serveOptions{listen: ":7711", tlsCert: cert, tlsKey: key}, ""},
		{"no key", serveOptions{listen: ":7711", tlsCert: cert}, "go together"},
		{"no certificate", serveOptions{listen: "127.0.0.1:1", tlsKey: key}, "go together"},
		{"a key that is none", serveOptions{listen: ":7711", tlsCert: cert, tlsKey: cert}, "--tls-key"},
		{"a file that is not there", serveOptions{listen: ":7711", tlsCert: cert + "x", tlsKey: key}, "--tls-cert"},
		{"a proxy", serveOptions{listen: ":7711", behindProxy: []string{"10.0.0.7/32", "fd00::/64"}}, ""},
		{"a proxy without length", serveOptions{listen: ":7711", behindProxy: []string{"10.0.0.7"}}, "--behind-proxy"},
		{"a header of the proxy", serveOptions{listen: ":7711", behindProxy: []string{"10.0.0.7/32"}, authHeader: "X-User", hosts: []string{"p.example"}}, ""},
		{"a header without a host", serveOptions{listen: ":7711", behindProxy: []string{"10.0.0.7/32"}, authHeader: "X-User"}, "--host"},
		{"a header without a host on loopback", serveOptions{listen: "127.0.0.1:1", behindProxy: []string{"127.0.0.1/32"}, authHeader: "X-User"}, "--host"},
		{"hosts", serveOptions{listen: "127.0.0.1:1", hosts: []string{"p.example", "10.0.0.5", "fd00::1", "[fd00::1]"}}, ""},
		{"a host with a port", serveOptions{listen: "127.0.0.1:1", hosts: []string{"p.example:80"}}, "--host"},
		{"a URL as host", serveOptions{listen: "127.0.0.1:1", hosts: []string{"https://p.example"}}, "--host"},
		{"any host", serveOptions{listen: "127.0.0.1:1", hosts: []string{"*"}}, "--host"},
		{"an empty host", serveOptions{listen: "127.0.0.1:1", hosts: []string{""}}, "--host"},
		{"a header of anybody", serveOptions{listen: "127.0.0.1:1", authHeader: "X-User"}, "--behind-proxy"},
		{"a header of anybody over TLS", serveOptions{listen: ":1", tlsCert: cert, tlsKey: key, authHeader: "X-User"}, "--behind-proxy"},
		{"a header that we read", serveOptions{listen: ":1", behindProxy: []string{"10.0.0.7/32"}, authHeader: "authorization"}, "--auth-header"},
		{"no header name", serveOptions{listen: ":1", behindProxy: []string{"10.0.0.7/32"}, authHeader: "X User:"}, "--auth-header"},
	} {
		_, err := test.flags.listening()
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.says)
		}
	}
}

// A header that the server or HTTP itself reads names nobody: any client sends it, and not as a name.
func TestHeadersThatNameNobody(t *testing.T) {
	flags := serveOptions{listen: "127.0.0.1:1", behindProxy: []string{"127.0.0.1/32"}, hosts: []string{"p.example"}}
	for name, taken := range map[string]bool{
		"X-Forwarded-User": true, "X-Forwarded-Email": true, "X-Forwarded-Preferred-Username": true, "Remote-User": true, "X-User": true,
		"x-request-id": false, "If-Match": false, "Content-Type": false, "Content-Length": false, "Prefer": false, "Idempotency-Key": false,
		"X-Forwarded-For": false, "X-Forwarded-Host": false, "X-FORWARDED-PROTO": false, "X-Forwarded-Port": false, "Forwarded": false,
		"X-Real-IP": false, "Authorization": false, "Cookie": false, "Host": false, "Origin": false, "Referer": false, "Sec-Fetch-Site": false,
		"Sec-Fetch-User": false, "Accept": false, "Accept-Encoding": false, "User-Agent": false, "Connection": false, "Transfer-Encoding": false,
		"Expect": false, "If-None-Match": false, "Via": false, "Range": false,
	} {
		flags.authHeader = name
		if _, err := flags.listening(); (err == nil) != taken || err != nil && !strings.Contains(err.Error(), "--auth-header") {
			t.Errorf("%s: %v, to be taken: %v", name, err, taken)
		}
	}
}

// Which hosts and peers are let in follows from where the server listens.
func TestWhoIsLetIn(t *testing.T) {
	cert, key := newCertificate(t)
	proxy, host := []string{"10.0.0.7/32"}, []string{"p.example"}
	for _, test := range []struct {
		flags            serveOptions
		anyHost, proxies bool
	}{
		{serveOptions{listen: "127.0.0.1:1"}, false, false},
		{serveOptions{listen: "localhost:1", tlsCert: cert, tlsKey: key}, false, false},
		{serveOptions{listen: "127.0.0.1:1", behindProxy: proxy}, false, true},
		{serveOptions{listen: "127.0.0.1:1", behindProxy: proxy, authHeader: "X-User", hosts: host}, false, true},
		{serveOptions{listen: ":1", behindProxy: proxy, authHeader: "X-User", hosts: host}, false, true},
		{serveOptions{listen: ":1", behindProxy: proxy, hosts: host}, false, true},
		{serveOptions{listen: ":1", behindProxy: proxy}, true, true},
		{serveOptions{listen: ":1", behindProxy: proxy, tlsCert: cert, tlsKey: key}, true, false},
		{serveOptions{listen: ":1", tlsCert: cert, tlsKey: key}, true, false},
	} {
		l, err := test.flags.listening()
		if err != nil || l.anyHost() != test.anyHost || l.proxiesOnly() != test.proxies {
			t.Errorf("%+v: any host %v, proxies only %v, %v", test.flags, l.anyHost(), l.proxiesOnly(), err)
		}
	}
}

// newCertificate makes a certificate for proofload.example and writes it and its key to files.
func newCertificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"proofload.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

// TestServeOverTLS starts the program on all addresses with a certificate: it speaks HTTPS only, and the command line
// reaches it by what stands in the data folder.
func TestServeOverTLS(t *testing.T) {
	cert, key := newCertificate(t)
	s := serveProgram(t, "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("it serves %s", s.url)
	}
	if issued := strings.TrimSpace(s.command("token", "issue")); len(issued) < 43 {
		t.Errorf("token issue prints %q", issued)
	}
	pool := x509.NewCertPool()
	data, err := os.ReadFile(cert)
	if err != nil || !pool.AppendCertsFromPEM(data) {
		t.Fatal(err)
	}
	config := &tls.Config{RootCAs: pool, ServerName: "proofload.example", MinVersion: tls.VersionTLS12}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	if status := sendAs(t, client, http.MethodGet, s.url+"/api/session", "", "Bearer "+s.token()); status != http.StatusOK {
		t.Errorf("over TLS: %d", status)
	}
	if status, err := statusOf(t, "http://"+strings.TrimPrefix(s.url, "https://")+"/healthz"); err != nil || status != http.StatusBadRequest {
		t.Errorf("in plain text: %d, %v", status, err)
	}
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11} //nolint:gosec // it must not connect
	if conn, err := (&tls.Dialer{NetDialer: &net.Dialer{}, Config: old}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "https://")); err == nil {
		_ = conn.Close()
		t.Error("it speaks TLS 1.1")
	}
}
