package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	api "github.com/proofload/proofload/http"
)

// servedProgram is the program as it serves a folder in this process.
type servedProgram struct {
	t         *testing.T
	dir       string
	url, link string // link: empty when none was printed
	out       string // up to where it serves
	errs      *lockedBuffer
	stop      func()
}

// lockedBuffer may be written while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(data)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

func (b *lockedBuffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Reset()
}

func serveProgram(t *testing.T, flags ...string) *servedProgram {
	t.Helper()
	return serveFolder(t, t.TempDir(), flags...)
}

var (
	anyURL   = regexp.MustCompile(`https?://\S+`)
	loginURL = regexp.MustCompile(`https?://\S+/login#code=\S+`)
)

func serveFolder(t *testing.T, dir string, flags ...string) *servedProgram {
	t.Helper()
	reader, writer := io.Pipe()
	s := &servedProgram{t: t, dir: dir, errs: &lockedBuffer{}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	args := append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, flags...)
	go func() {
		ended <- run(ctx, args, streams{strings.NewReader(""), writer, s.errs})
		_ = writer.Close()
	}()
	s.stop = sync.OnceFunc(func() {
		stop()
		go func() { _, _ = io.Copy(io.Discard, reader) }()
		if code := <-ended; code != exitOK {
			t.Errorf("serve: exit code %d: %s", code, s.errs.text())
		}
	})
	s.out = readUntil(t, reader, "for scripts is in "+filepath.Join(dir, tokenFile)+"\n")
	s.url, s.link = anyURL.FindString(s.out), loginURL.FindString(s.out)
	t.Cleanup(s.stop)
	return s
}

func (s *servedProgram) token() string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, tokenFile))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// command runs the command line on the folder; it has to succeed.
func (s *servedProgram) command(args ...string) string {
	s.t.Helper()
	return onFolder(s.t, s.dir, args...)
}

func onFolder(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), append(args, "--data", dir), streams{strings.NewReader(""), &out, &errs}); code != exitOK {
		t.Fatalf("%q: exit code %d: %s", args, code, errs.String())
	}
	return out.String()
}

// opens is the status that a token gets from the server.
func (s *servedProgram) opens(token string) int {
	return sendAs(s.t, &http.Client{}, http.MethodGet, s.url+"/api/session", "", "Bearer "+token)
}

// The first start prints a link to log in; a later one does not, unless a person reads it: links are no matter for
// the journal of a service.
func TestTheFirstStartPrintsALink(t *testing.T) {
	s := serveProgram(t)
	_, code, _ := strings.Cut(s.link, "#code=")
	if status := sendAs(t, &http.Client{}, http.MethodPost, s.url+"/api/session", `{"code":"`+code+`"}`, ""); status != http.StatusOK {
		t.Errorf("the link %q gives %d", s.link, status)
	}
	if status := s.opens(s.token()); status != http.StatusOK {
		t.Errorf("the token gives %d", status)
	}
	s.stop()
	again := serveFolder(t, s.dir)
	if again.link != "" {
		t.Errorf("a later start prints %s", again.link)
	}
	for _, secret := range []string{s.token(), code} {
		if strings.Contains(s.errs.text()+again.errs.text()+again.out, secret) {
			t.Errorf("%q stands in the log", secret)
		}
	}
	if strings.Contains(s.out, s.token()) {
		t.Error("the token of the folder is printed")
	}
}

// The same commands work on a running server, on its address, and on a folder that no process holds.
func TestTokenCommands(t *testing.T) {
	s := serveProgram(t)
	session := func(t *testing.T) { // issue, list, revoke
		t.Helper()
		var issued api.IssuedToken
		if err := json.Unmarshal([]byte(onFolder(t, s.dir, "token", "issue", "--name", "ci", "--expires", "1h", "--json")), &issued); err != nil {
			t.Fatal(err)
		}
		list := onFolder(t, s.dir, "token", "list")
		if !strings.Contains(list, issued.ID) || strings.Contains(list, issued.Token) || !strings.Contains(list, "ci") {
			t.Errorf("token list prints %s", list)
		}
		if out := onFolder(t, s.dir, "token", "revoke", issued.ID); out != "revoked "+issued.ID+"\n" {
			t.Errorf("token revoke prints %q", out)
		}
		if list := onFolder(t, s.dir, "token", "list"); strings.Contains(list, issued.ID) {
			t.Errorf("after revoke, token list prints %s", list)
		}
	}
	t.Run("on a running server", session)
	plain := strings.TrimSpace(s.command("token", "issue"))
	if status := s.opens(plain); status != http.StatusOK {
		t.Errorf("an issued token gives %d", status)
	}
	t.Run("by its address", func(t *testing.T) {
		t.Setenv(tokenVariable, plain)
		if out := onFolder(t, filepath.Join(t.TempDir(), "none"), "token", "list", "--server", s.url+"/"); !strings.Contains(out, "data folder") {
			t.Errorf("token list prints %s", out)
		}
	})
	s.stop()
	if _, err := os.Stat(filepath.Join(s.dir, serverFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a stop: %v", err)
	}
	t.Run("on a folder that nobody holds", session)
	t.Run("on a folder that nobody holds, with a token that opens nothing", func(t *testing.T) {
		t.Setenv(tokenVariable, plain+"x")
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"token", "list", "--data", s.dir}, streams{strings.NewReader(""), &out, &errs})
		if code != exitError || !strings.Contains(errs.String(), "401 unauthenticated") {
			t.Errorf("exit code %d, %s%s", code, out.String(), errs.String())
		}
	})
}

// firstWorkspace is the id of the workspace that a first start makes.
func firstWorkspace(t *testing.T, s *servedProgram) string {
	t.Helper()
	s.command("token", "issue") // it waits until the read models show it
	var page api.List[api.Workspace]
	client := serverClient{url: s.url, token: s.token(), http: &http.Client{}}
	if err := client.call(t.Context(), http.MethodGet, "/api/workspaces", nil, &page); err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	return page.Items[0].ID
}

// A member that leaves: all its tokens close at once, and no others.
func TestRevokeAllTokensOfAMember(t *testing.T) {
	s := serveProgram(t)
	members := s.url + "/api/workspaces/" + firstWorkspace(t, s) + "/members"
	if status := sendAs(t, &http.Client{}, http.MethodPost, members, `{"name":"bob","role":"editor"}`, "Bearer "+s.token()); status != http.StatusCreated {
		t.Fatalf("bob: %d", status)
	}
	var bobs []string
	for range 3 {
		bobs = append(bobs, strings.TrimSpace(s.command("token", "issue", "--member", "bob")))
	}
	if out := s.command("token", "revoke", "--member", "bob", "--all"); out != "revoked all tokens of bob\n" {
		t.Errorf("token revoke --all prints %q", out)
	}
	for _, token := range bobs {
		if status := s.opens(token); status != http.StatusUnauthorized {
			t.Errorf("a token of bob gives %d", status)
		}
	}
	if list := s.command("token", "list", "--member", "bob"); strings.Contains(list, "bob") || s.opens(s.token()) != http.StatusOK {
		t.Errorf("bob's tokens are %s, the administrator's gives %d", list, s.opens(s.token()))
	}
	own := strings.TrimSpace(s.command("token", "issue"))
	if out := s.command("token", "revoke", "--all"); out != "revoked all tokens of the member that asks\n" || s.opens(s.token())+s.opens(own) != 2*http.StatusUnauthorized {
		t.Errorf("%q: the administrator's tokens give %d and %d", out, s.opens(s.token()), s.opens(own))
	}
	s.stop()
	if again := serveFolder(t, s.dir); again.opens(again.token()) != http.StatusOK { // the next start makes another
		t.Error("the administrator is locked out")
	}
}

// A command that closes itself out says how the next one gets in, and that is true. One that does not says nothing of it.
func TestRevokingTheTokenThatIsUsed(t *testing.T) {
	for name, running := range map[string]bool{"on a running server": true, "on a folder that nobody holds": false} {
		t.Run(name, func(t *testing.T) {
			s := serveProgram(t)
			if !running {
				s.stop()
			}
			file := filepath.Join(s.dir, tokenFile)
			revoke := func(args ...string) string {
				t.Helper()
				var out, errs bytes.Buffer
				if code := run(t.Context(), append([]string{"token", "revoke", "--data", s.dir}, args...), streams{strings.NewReader(""), &out, &errs}); code != exitOK {
					t.Fatalf("exit code %d: %s", code, errs.String())
				}
				return errs.String()
			}
			s.command("token", "issue", "--name", "other")
			id := tokenNamed(t, s, "other")
			if said := revoke(id); said != "" {
				t.Errorf("another token: %s", said)
			}
			for _, args := range [][]string{{"--all"}, {"--all", "--member", "admin"}, {}} {
				before := s.token()
				if len(args) == 0 {
					args = []string{tokenNamed(t, s, "data folder")}
				}
				if said := revoke(args...); !strings.Contains(said, "next start") || !strings.Contains(said, file) {
					t.Errorf("%v: %q", args, said)
				}
				s.stop()
				s.command("token", "list")
				if s.token() == before {
					t.Errorf("%v: the token is the old one", args)
				}
				if running {
					s = serveFolder(t, s.dir)
				}
			}
		})
	}
}

// tokenNamed is the id of a token of the administrator.
func tokenNamed(t *testing.T, s *servedProgram, name string) string {
	t.Helper()
	for line := range strings.Lines(s.command("token", "list")) {
		if strings.Contains(line, name) {
			return strings.Fields(line)[0]
		}
	}
	t.Fatalf("no token %q", name)
	return ""
}

func TestTokenCommandsRefuse(t *testing.T) {
	s := serveProgram(t)
	t.Setenv(tokenVariable, "")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"token", "list", "--data", filepath.Join(t.TempDir(), "none")}, "no server runs"},
		{[]string{"token", "list", "--server", s.url}, tokenVariable},
		{[]string{"token", "list", "--data", s.dir, "--member", "nobody"}, "404 not_found"},
		{[]string{"token", "revoke", "--data", s.dir, "../projects"}, "404 not_found"},
		{[]string{"token", "issue", "--data", s.dir, "--expires", "-1h"}, "400 validation_error"},
		{[]string{"token", "admin"}, "--nats is missing"},
		{[]string{"token", "revoke", "--data", s.dir}, "ID is missing"},
		{[]string{"token", "revoke", "--data", s.dir, "--member", "bob"}, "--member goes with --all"},
		{[]string{"token", "revoke", "--data", s.dir, "--all", "x"}, "one argument too many"},
		{[]string{"token", "revoke", "--data", s.dir, "--all", "--member", "nobody"}, "404 not_found"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), test.args, streams{strings.NewReader(""), &out, &errs})
		if code != exitError || !strings.Contains(errs.String(), test.says) {
			t.Errorf("%q: exit code %d, %s; want %q", test.args, code, errs.String(), test.says)
		}
	}
	if _, err := os.Stat(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
}
