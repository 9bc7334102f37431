package eventstore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/eventstore/natstest"
)

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"2.12.0": true, "2.12.0-RC.1": true, "v2.15.3": true, "2.100.0": true, "3.0.0": true, "2.12": true,
		"2.11.9": false, "1.99.0": false, "2.9.25": false, "": false, "2": false, "two.twelve": false,
	} {
		if got := atLeast(version, 2, 12); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestConnectSaysWhatToDo(t *testing.T) {
	_, err := Connect("nats://user:geheim@127.0.0.1:1,nats://token@127.0.0.1:2")
	if !errors.Is(err, ErrUnreachable) {
		t.Fatalf("connected to nothing: %v", err)
	}
	for _, words := range []string{"nats://127.0.0.1:1,nats://127.0.0.1:2", "check the address"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("no %q in %q", words, err)
		}
	}
	for _, secret := range []string{"geheim", "token"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q in %q", secret, err)
		}
	}
}

func TestWithoutSecrets(t *testing.T) {
	for urls, want := range map[string]string{
		"nats://a:4222":              "nats://a:4222",
		"nats://u:p@a:4222":          "nats://a:4222",
		"tls://u:p@ss@a, nats://t@b": "tls://a,nats://b",
		"u:p@a:4222":                 "nats://a:4222",
		"nats://u:%zz@a":             "nats://a",
	} {
		if got := withoutSecrets(urls); got != want {
			t.Errorf("%q became %q, want %q", urls, got, want)
		}
	}
}

// A URL that cannot be read is not shown: what looks like a host may be the end of a password.
func TestConnectShowsNoPassword(t *testing.T) {
	for _, urls := range []string{"nats://u:geheim/x@a:4222", "nats://u:%geheim@a", "nats://u:geheim#@a", "nats://a:4222,nats://u:geheim[@b"} {
		_, err := Connect(urls)
		if err == nil || errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "%40") {
			t.Errorf("%s: %v", urls, err)
		}
	}
}

// A server that refuses us will not do so less after a while.
func TestConnectIsRefused(t *testing.T) {
	server := natstest.Start(t, natstest.Options{Settings: `authorization { user: us, password: right }`})
	address := strings.TrimPrefix(server.URL, "nats://")
	_, err := Connect("nats://us:geheim@" + address)
	if err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "check user and password") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("with a wrong password: %v", err)
	}
	conn, err := Connect("nats://us:right@" + address)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestConnectOverTLS(t *testing.T) {
	cert, key := writeCertificate(t)
	server := natstest.Start(t, natstest.Options{Settings: fmt.Sprintf("tls { cert_file: %q, key_file: %q }", cert, key)})
	url := strings.Replace(server.URL, "nats://", "tls://", 1)
	if _, err := Connect(url); err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("a certificate that nobody signed: %v", err)
	}
	conn, err := Connect(url, nats.RootCAs(cert))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// writeCertificate writes a certificate for loopback that signs itself.
func writeCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
