package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// A report is XML that reads back as what was written, whatever stands in names and messages.
func TestJUnit(t *testing.T) {
	const nasty = "a <b> & \"c\" 'd' ü €\t" + `]]> {{x}}`
	held := judgedAs(t, nasty, "flow.p99 < 20ms", new(19.5))
	broken := judgedAs(t, "too slow", "flow.p99 < 20ms", new(20.5))
	missing := judgedAs(t, "none", "flow.p99 < 20ms", nil)
	path := filepath.Join(t.TempDir(), "report.xml")
	if err := writeJUnit(path, nasty, []judged{held, broken, missing}); err != nil {
		t.Fatal(err)
	}
	want := junitSuite{Name: nasty, Tests: 3, Failures: 2, Cases: []junitCase{
		{Name: nasty, Class: "proofload"},
		{Name: "too slow", Class: "proofload", Failure: &junitMessage{"flow.p99 < 20ms: BROKEN: it is 20.5 ms", "objective"}},
		{Name: "none", Class: "proofload", Failure: &junitMessage{"flow.p99 < 20ms: BROKEN: the run has no such value", "objective"}},
	}}
	if diff := cmp.Diff(want, readJUnit(t, path)); diff != "" {
		t.Error(diff)
	}

	refused := domain.Refused([]domain.Issue{{Code: "unknown-target", Target: "x", Message: nasty}})
	if err := writeJUnitRefusal(path, refused); err != nil {
		t.Fatal(err)
	}
	want = junitSuite{Name: "The run is refused", Tests: 1, Errors: 1, Cases: []junitCase{
		{Name: "unknown-target x", Class: "proofload", Error: &junitMessage{nasty, "unknown-target"}},
	}}
	if diff := cmp.Diff(want, readJUnit(t, path)); diff != "" {
		t.Error(diff)
	}
}

func judgedAs(t *testing.T, name, text string, value *float64) judged {
	t.Helper()
	e, err := domain.ParseExpectation(text)
	if err != nil {
		t.Fatal(err)
	}
	return judged{
		expectation: expectation{name, text, e},
		seeds:       []domain.Judgement{{Value: value, Holds: value != nil && *value < 20}},
	}
}

func readJUnit(t *testing.T, path string) junitSuite {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(data, &suites); err != nil {
		t.Fatal(err)
	}
	return suites.Suite
}
