package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// servedOnce serves a folder, not on a terminal, until act has seen what it prints.
func servedOnce(t *testing.T, dir string, act func(text string)) {
	t.Helper()
	reader, writer := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		ended <- run(ctx, []string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, streams{strings.NewReader(""), writer, &errs})
		_ = writer.Close()
	}()
	act(readUntil(t, reader, "for scripts"))
	stop()
	_, _ = io.Copy(io.Discard, reader)
	<-ended
}

// A start that failed, and one whose link nobody followed, lose nothing: the next prints a link, until one was used.
func TestTheLogInLinkIsPrintedUntilItWasUsed(t *testing.T) {
	dir := t.TempDir()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--data", dir, "--listen", taken.Addr().String()}, streams{strings.NewReader(""), &out, &errs}); code != exitError {
		t.Fatalf("on an address that is taken: exit code %d, %s", code, out.String())
	}
	servedOnce(t, dir, func(text string) {
		if !strings.Contains(text, "/login#code=") {
			t.Errorf("after a start that failed no link is printed:\n%s", text)
		}
	})
	servedOnce(t, dir, func(text string) {
		link, err := url.Parse(servesAt.FindString(text[strings.Index(text, "Log in"):]))
		if err != nil {
			t.Fatal(err)
		}
		given, err := url.ParseQuery(link.Fragment)
		if err != nil {
			t.Fatal(err)
		}
		session := link.Scheme + "://" + link.Host + "/api/session"
		if status := sendAs(t, http.DefaultClient, http.MethodPost, session, `{"code":"`+given.Get("code")+`"}`, ""); status != http.StatusOK {
			t.Errorf("the link that nobody used before gives %d:\n%s", status, text)
		}
	})
	servedOnce(t, dir, func(text string) {
		if strings.Contains(text, "/login#code=") {
			t.Errorf("a link was used, and it prints another:\n%s", text)
		}
	})
}
