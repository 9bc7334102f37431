package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/eventstore"
)

// killBundle is an example whose run takes some hundred milliseconds, so that kills hit it.
const killRate = 1200

// TestSoakKill kills a real server with SIGKILL at random points: while it appends, while the engine runs,
// while it projects. Nothing acknowledged is lost, and each run ends with exactly one outcome and the hash of
// an undisturbed one. Three kills; with PROOFLOAD_SOAK set, 21.
func TestSoakKill(t *testing.T) {
	t.Parallel()
	kills := 3
	if os.Getenv("PROOFLOAD_SOAK") != "" {
		kills = 21
	}
	s := &killedServer{t: t, binary: buildBinary(t), dir: t.TempDir(), kills: kills}
	s.start()
	want := s.saveExample()
	acknowledged := map[string]bool{}
	for n := 0; s.kills > 0; n++ {
		id := s.requestRun(fmt.Sprintf("key-%d", n))
		acknowledged[id] = true
		for range min(1+rand.IntN(3), s.kills) {
			time.Sleep(rand.N(1200 * time.Millisecond))
			s.kill()
			s.start()
		}
		if got := s.outcome(id); got.Status != "completed" || got.ResultHash != want {
			t.Fatalf("run %s: got %s with hash %s, want completed with %s", id, got.Status, got.ResultHash, want)
		}
	}
	s.stop()
	checkLog(t, s.dir, acknowledged)
}

// killedServer is a server process that is killed and started again on the same folder.
type killedServer struct {
	t           *testing.T
	binary, dir string
	kills       int

	process *exec.Cmd
	stderr  bytes.Buffer
	url     string
	token   string // the administrator's, of the data folder
	project string
	profile string
}

var servesAt = regexp.MustCompile(`http://\S+`)

func (s *killedServer) start() {
	s.t.Helper()
	s.process = exec.CommandContext(context.WithoutCancel(s.t.Context()), s.binary, "serve", "--data", s.dir, "--listen", "127.0.0.1:0")
	s.stderr.Reset()
	s.process.Stderr = &s.stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.process.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.url = servesAt.FindString(line); err != nil || s.url == "" {
		_ = s.process.Wait()
		s.t.Fatalf("the server did not start: %v\n%s", err, s.stderr.String())
	}
	token, err := os.ReadFile(filepath.Join(s.dir, tokenFile))
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
}

func (s *killedServer) kill() {
	s.kills--
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// stop interrupts the server, which must end by itself.
func (s *killedServer) stop() {
	s.t.Helper()
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Wait(); err != nil {
		s.t.Errorf("after an interrupt: %v\n%s", err, s.stderr.String())
	}
}

// comeAgain are the statuses of a request that is worth to be sent again.
var comeAgain = []int{http.StatusServiceUnavailable, http.StatusNotFound, http.StatusTooManyRequests}

// call sends a request until it is answered; out is filled from the body.
func (s *killedServer) call(method, path, body string, header map[string]string, out any) {
	s.t.Helper()
	var last error
	for began := time.Now(); time.Since(began) < patience; { // a run that a killed process did not release holds its place until its message comes again
		status, data, err := s.once(method, path, body, header)
		if err == nil && status < 300 {
			if err := json.Unmarshal(data, out); err != nil {
				s.t.Fatalf("%s %s: %v", method, path, err)
			}
			return
		}
		if err == nil && !slices.Contains(comeAgain, status) {
			s.t.Fatalf("%s %s: %d %s", method, path, status, data)
		}
		last = fmt.Errorf("%d %s %w", status, data, err)
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("%s %s: no answer: %v\n%s", method, path, last, s.stderr.String())
}

func (s *killedServer) once(method, path, body string, header map[string]string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, data, err
}

// saveExample saves the documents of the demo over HTTP and returns the hash of an undisturbed run of them.
func (s *killedServer) saveExample() string {
	s.t.Helper()
	return undisturbed(s.t, s.save("", demoBundle, killRate))
}

// undisturbed is the hash of a run of a bundle.
func undisturbed(t *testing.T, bundle domain.Bundle) string {
	t.Helper()
	result, err := engine.Run(t.Context(), input(bundle))
	if err != nil {
		t.Fatal(err)
	}
	return result.Hash
}

// save saves the documents of a bundle, with a rate, in a new project of a workspace (empty: default).
func (s *killedServer) save(workspace, text string, rate float64) domain.Bundle {
	s.t.Helper()
	bundle, raw, err := parseDocuments(text)
	if err != nil {
		s.t.Fatal(err)
	}
	var made, scenario, profile struct {
		ID string `json:"id"`
	}
	project := `{"name":"kills"}` // in the first workspace
	if workspace != "" {
		project = fmt.Sprintf(`{"name":"kills","workspaceId":%q}`, workspace)
	}
	s.call("POST", "projects", project, nil, &made)
	s.project = "projects/" + made.ID
	s.call("PUT", s.project+"/model", string(raw["model"]), map[string]string{"If-Match": `"0"`}, &struct{}{})
	s.call("POST", s.project+"/scenarios", string(raw["scenario"]), nil, &scenario)
	bundle.Profile.ScenarioID = scenario.ID
	bundle.Profile.Arrivals.RatePerSecond = rate
	document, err := json.Marshal(bundle.Profile)
	if err != nil {
		s.t.Fatal(err)
	}
	s.call("POST", s.project+"/stress/profiles", string(document), nil, &profile)
	s.profile = s.project + "/stress/profiles/" + profile.ID
	return bundle
}

// requestRun asks for a run with a key of its own, twice: both answers name the same run.
func (s *killedServer) requestRun(key string) string {
	s.t.Helper()
	header := map[string]string{"Prefer": "respond-async", "Idempotency-Key": key}
	var first, second struct {
		ID string `json:"id"`
	}
	s.call("POST", s.profile+"/runs", "", header, &first)
	s.call("POST", s.profile+"/runs", "", header, &second)
	if first != second {
		s.t.Fatalf("one key made the runs %s and %s", first.ID, second.ID)
	}
	return first.ID
}

type killedRun struct {
	Status     string `json:"status"`
	ResultHash string `json:"resultHash"`
}

// statusNow is the status of the run.
func (s *killedServer) statusNow(id string) string {
	s.t.Helper()
	var run killedRun
	s.call("GET", s.project+"/stress/runs/"+id, "", nil, &run)
	return run.Status
}

// outcome waits until the run has ended.
func (s *killedServer) outcome(id string) killedRun {
	s.t.Helper()
	var run killedRun
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		s.call("GET", s.project+"/stress/runs/"+id, "", nil, &run)
		if run.Status != "queued" && run.Status != "running" {
			return run
		}
	}
	s.t.Fatalf("run %s is still %s", id, run.Status)
	return run
}

// checkLog reads the log of a stopped server: each acknowledged run is there with exactly one outcome.
func checkLog(t *testing.T, dir string, acknowledged map[string]bool) {
	t.Helper()
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = embedded.Close() }()
	store, err := eventstore.Open(t.Context(), embedded.Conn(), eventstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for id := range acknowledged {
		agg, err := store.Find(t.Context(), domain.AggregateRun, id)
		if err != nil {
			t.Fatalf("run %s: %v", id, err)
		}
		records, err := store.Load(t.Context(), agg)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, record := range records {
			for _, event := range record.Events {
				counts[event.Name]++
			}
		}
		if counts["RunRequested"] != 1 || counts["RunCompleted"] != 1 || counts["RunFailed"]+counts["RunRefused"] > 0 {
			t.Errorf("run %s has the events %v", id, counts)
		}
	}
}
