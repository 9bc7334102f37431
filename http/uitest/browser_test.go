package uitest

import (
	"bufio"
	"context"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What may take long on a busy machine, with a browser: a whole journey, and a step of it.
const (
	journeyTime = 8 * time.Minute
	stepTime    = 2 * time.Minute
)

// browsers are the names that Chromium has on the systems that we know.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// findBrowser skips the test on a machine without a browser, unless it is that of CI, which installs one.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("none of %q is installed", browsers)
	}
	t.Skipf("none of %q is installed", browsers)
	return ""
}

// page is a browser with one page open.
type page struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	errors []string
}

func openBrowser(t *testing.T) *page {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(findBrowser(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(stepTime),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(900, 600))
	ctx, cancel := context.WithTimeout(t.Context(), journeyTime)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	p := &page{t: t, ctx: ctx}
	p.do(chromedp.EmulateViewport(900, 600))
	messages := chromedp.Console(ctx)
	go p.hear(messages)
	return p
}

// hear collects errors: exceptions, and what the policy of the page forbids. A request that was refused is none.
func (p *page) hear(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || m.Type == chromedp.ConsoleError && m.Source != "network" {
			p.mu.Lock()
			p.errors = append(p.errors, m.Text)
			p.mu.Unlock()
		}
	}
}

// reported is what the page complained of.
func (p *page) reported() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errors)
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// open loads an address anew: one that differs in what stands behind the # only would not be.
func (p *page) open(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

// shows waits until the text of the page has a part, and gives it whole.
func (p *page) shows(part string) string {
	p.t.Helper()
	for until := time.Now().Add(stepTime); ; time.Sleep(20 * time.Millisecond) {
		text := p.value(`document.body ? document.body.innerText : ""`)
		if strings.Contains(text, part) {
			return text
		}
		if time.Now().After(until) {
			p.t.Fatalf("the page does not show %q, but:\n%s", part, text)
		}
	}
}

// value is that of an expression of JavaScript.
func (p *page) value(expression string) string {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// picture writes what the page looks like into the folder of PROOFLOAD_PICTURES, for people.
func (p *page) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("PROOFLOAD_PICTURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// server is the program, serving a fresh folder.
type server struct{ url, link, token string }

var loginLink = regexp.MustCompile(`(https?://[^/\s]+)/login#code=\S+`)

// serve builds the program as a user does and starts it; it stops with the test.
func serve(t *testing.T) server {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "proofload")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/proofload").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	process := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve", "--data", data, "--listen", "127.0.0.1:0")
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		if err := process.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	var found []string
	lines := bufio.NewScanner(out)
	for found == nil && lines.Scan() {
		found = loginLink.FindStringSubmatch(lines.Text())
	}
	token, err := os.ReadFile(filepath.Join(data, "admin-token"))
	if found == nil || err != nil {
		t.Fatalf("serve prints no link: %v", err)
	}
	return server{url: found[1], link: found[0], token: strings.TrimSpace(string(token))}
}
