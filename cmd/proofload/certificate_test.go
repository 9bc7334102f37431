package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// copyFile puts a copy of one file in the place of another, at once.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to+".new", data, 0o600)
	}
	if err == nil {
		err = os.Rename(to+".new", to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shownCertificate is the one that a server shows to who connects.
func shownCertificate(t *testing.T, n *node) []byte {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // it only looks
	conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", strings.TrimPrefix(n.url(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw
}

// startOverTLS serves a fresh folder with the files of a certificate, which it looks at all the time.
func startOverTLS(t *testing.T, dir, cert, key string, log *lockedBuffer) *node {
	t.Helper()
	c, err := readCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c.every = 5 * time.Millisecond
	n, err := startNode(t.Context(), nodeOptions{
		listenOptions: listenOptions{address: "127.0.0.1:0", certificate: c}, dir: dir, noEngine: true, logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := n.close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// A certificate that was renewed is served without a restart, and the command line knows it. While the files do not fit each
// other, or are none, the one before is served, and the log says so once.
func TestARenewedCertificateIsServed(t *testing.T) {
	cert, key := newCertificate(t)
	nextCert, nextKey := newCertificate(t)
	dir, log := t.TempDir(), &lockedBuffer{}
	n := startOverTLS(t, dir, cert, key, log)
	before := shownCertificate(t, n)

	copyFile(t, nextCert, cert) // the key is still the old one
	eventually(t, func() bool { return strings.Contains(log.text(), "the one before stays") }, "the log says that the files do not fit")
	time.Sleep(50 * time.Millisecond)
	if said := strings.Count(log.text(), "the one before stays"); said != 1 || !bytes.Equal(shownCertificate(t, n), before) {
		t.Errorf("in the middle of a renewal: said %d times, another certificate is served: %v", said, !bytes.Equal(shownCertificate(t, n), before))
	}

	copyFile(t, nextKey, key)
	eventually(t, func() bool { return !bytes.Equal(shownCertificate(t, n), before) }, "the next certificate is served")
	eventually(t, func() bool {
		address, err := readAddress(dir)
		if err != nil {
			t.Fatal(err)
		}
		client, err := address.client()
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address.URL+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil
	}, "the folder has the next certificate")

	after := shownCertificate(t, n)
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Count(log.text(), "the one before stays") == 2 }, "the log says that there is no file")
	if !bytes.Equal(shownCertificate(t, n), after) {
		t.Error("without a file another certificate is served")
	}
}
