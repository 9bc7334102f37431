package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/proofload/proofload/eventstore"
)

func TestFlagsFromEnvironment(t *testing.T) {
	environment := map[string]string{"PROOFLOAD_DATA": "/from/env", "PROOFLOAD_LISTEN": "127.0.0.1:1", "PROOFLOAD_SLOTS": "many"}
	find := func(name string) (string, bool) { v, ok := environment[name]; return v, ok }
	all := func(string) bool { return true }
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	data := flags.String("data", "default", "")
	listen := flags.String("listen", "default", "")
	other := flags.String("other", "default", "")
	if err := flags.Parse([]string{"--listen", "127.0.0.1:2"}); err != nil {
		t.Fatal(err)
	}
	if err := flagsFromEnvironment(flags, find, all); err != nil {
		t.Fatal(err)
	}
	if *data != "/from/env" || *listen != "127.0.0.1:2" || *other != "default" {
		t.Errorf("data %q, listen %q, other %q: the command line wins over the environment, that over the default", *data, *listen, *other)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("postgres://u:geheim@db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment["PROOFLOAD_POSTGRES_FILE"] = secret
	dsn := flags.String("postgres", "", "")
	if err := flagsFromEnvironment(flags, find, all); err != nil || *dsn != "postgres://u:geheim@db" {
		t.Errorf("from a file: %q, %v", *dsn, err)
	}
	environment["PROOFLOAD_OTHER"], environment["PROOFLOAD_OTHER_FILE"] = "geheim", secret
	if err := flagsFromEnvironment(flags, find, all); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("both a variable and its file: %v", err)
	}
	flags.Int("slots", 1, "")
	if err := flagsFromEnvironment(flags, find, all); err == nil || !strings.Contains(err.Error(), "PROOFLOAD_SLOTS") {
		t.Errorf("got %v, want an error that names PROOFLOAD_SLOTS", err)
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	held, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"an address that others reach", []string{"--data", t.TempDir(), "--listen", "0.0.0.0:0"}, "plain text"},
		{"an unknown durability", []string{"--data", t.TempDir(), "--durability", "hope"}, "strict"},
		{"a folder that another process holds", []string{"--data", dir, "--listen", "127.0.0.1:0"}, dir},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"serve"}, test.args...), streams{strings.NewReader(""), &out, &errs})
			if code != exitError || !strings.Contains(errs.String(), test.says) {
				t.Errorf("exit code %d, %q; want 3 and %q", code, errs.String(), test.says)
			}
		})
	}
}

// TestDemo runs the first command of README: a table, the bottleneck in words and a link that answers.
func TestDemo(t *testing.T) {
	reader, writer := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		ended <- run(ctx, []string{"demo"}, streams{strings.NewReader(""), writer, &errs})
		_ = writer.Close()
	}()
	text := readUntil(t, reader, "Ctrl-C")
	for _, says := range []string{"p99.9", "throughput", "utilisation", "provider gives way first", "Confidence: low"} {
		if !strings.Contains(text, says) {
			t.Errorf("%q is missing from:\n%s", says, text)
		}
	}
	checkDemoLinks(t, text)
	stop()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if code := <-ended; code != exitOK && code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// readUntil reads until a text was read; the end of the stream before it fails the test.
func readUntil(t *testing.T, r io.Reader, last string) string {
	t.Helper()
	var all strings.Builder
	chunk := make([]byte, 4096)
	for !strings.Contains(all.String(), last) {
		n, err := r.Read(chunk)
		all.Write(chunk[:n])
		if err != nil {
			t.Fatalf("%v after:\n%s", err, all.String())
		}
	}
	return all.String()
}

// checkDemoLinks follows the log-in link as its page does, and the curl line: both lead to the run.
func checkDemoLinks(t *testing.T, text string) {
	t.Helper()
	link, err := url.Parse(servesAt.FindString(text))
	if err != nil {
		t.Fatal(err)
	}
	given, err := url.ParseQuery(link.Fragment)
	if err != nil {
		t.Fatal(err)
	}
	link.Fragment = ""
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	if status := sendAs(t, browser, http.MethodGet, link.String(), "", ""); status != http.StatusOK {
		t.Errorf("the page of the link answers %d", status)
	}
	login := `{"code":"` + given.Get("code") + `"}`
	run := link.Scheme + "://" + link.Host + given.Get("next")
	if status := sendAs(t, browser, http.MethodPost, link.Scheme+"://"+link.Host+"/api/session", login, ""); status != http.StatusOK {
		t.Errorf("the code of the link gives %d", status)
	}
	if status := sendAs(t, browser, http.MethodGet, run, "", ""); status != http.StatusOK {
		t.Errorf("the run gives %d to a browser that is logged in", status)
	}
	if status := sendAs(t, &http.Client{}, http.MethodGet, run, "", ""); status != http.StatusUnauthorized {
		t.Errorf("the run gives %d to anybody", status)
	}
	curl := regexp.MustCompile(`curl -H "Authorization: (Bearer [^"]+)" (\S+)`).FindStringSubmatch(text)
	if curl == nil || curl[2] != run {
		t.Fatalf("the curl line is %q", curl)
	}
	if status := sendAs(t, &http.Client{}, http.MethodGet, run, "", curl[1]); status != http.StatusOK {
		t.Errorf("the curl line gives %d", status)
	}
}

// sendAs sends a request and gives the status of the answer.
func sendAs(t *testing.T, client *http.Client, method, url, body, authorization string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func statusOf(t *testing.T, url string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
