package http

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
)

// TestBadInput sends each document route what is not a document. Each answer is a 4xx with a pointer or a limit.
func TestBadInput(t *testing.T) {
	w := newWorld(t)
	w.shop()
	targets := []struct {
		request
		limit int64
		whole string // a document that is accepted
	}{
		{request{method: "PUT", path: w.at("/model"), header: []string{one}}, domain.MaxModelBytes, aModel},
		{request{method: "POST", path: w.at("/scenarios")}, domain.MaxScenarioBytes, aScenario},
		{request{method: "PUT", path: w.at("/scenarios/{s}"), header: []string{one}}, domain.MaxScenarioBytes, aScenario},
		{request{method: "POST", path: w.at("/stress/profiles")}, domain.MaxProfileBytes, aProfile(w.scenarioID, "Peak")},
		{request{method: "PUT", path: w.at("/stress/profiles/{f}"), header: []string{one}}, domain.MaxProfileBytes, aProfile(w.scenarioID, "Peak")},
		{request{method: "POST", path: "/api/projects"}, maxSmallBody, `{"name":"x"}`},
	}
	for _, target := range targets {
		for _, bad := range badInputs(target.whole, target.limit) {
			t.Run(target.method+target.path[13:]+"/"+bad.name, func(t *testing.T) {
				r := target.request
				r.body = bad.body
				r.header = append(append([]string{"Content-Type: application/json"}, r.header...), bad.header...)
				bad.check(t, w.send(r), target.limit)
			})
		}
	}
	if r := w.send(request{method: "GET", path: w.at("/stress/profiles")}); strings.Count(string(r.body), `"version":1`) != 1 {
		t.Errorf("bad input left something: %s", r.body)
	}
}

type badInput struct {
	name, body string
	header     []string
	status     int
	target     string // of one of the issues; "*": any
	message    string // of this issue, in part
}

func badInputs(whole string, limit int64) []badInput {
	const comma = `,"more":`
	with := func(member string) string { return strings.TrimSuffix(whole, "}") + comma + member + "}" }
	return []badInput{
		{name: "empty", status: 400, target: "", message: "empty"},
		{name: "white space", body: " \n", status: 400, target: "", message: "empty"},
		{name: "1 MB of nesting", body: strings.Repeat("[", int(limit)), status: 400, target: "*", message: "nests deeper"},
		{name: "1 MB of nested objects", body: strings.Repeat(`{"a":`, int(limit)/5), status: 400, target: "*", message: "nests deeper"},
		{name: "a byte over the limit", body: whole + strings.Repeat(" ", int(limit)-len(whole)+1), status: 413},
		{name: "twice the limit", body: strings.Repeat("x", 2*int(limit)), status: 413},
		{name: "duplicate key", body: strings.Replace(whole, "{", `{"name":"a","name":"b",`, 1), status: 400, target: "/name", message: "twice"},
		{name: "NaN", body: with("NaN"), status: 400, target: "*", message: "not JSON"},
		{name: "beyond 2^53", body: with("9007199254740993"), status: 400, target: "/more", message: "2^53"},
		{name: "infinite", body: with("1e999"), status: 400, target: "/more", message: "2^53"},
		{name: "invalid UTF-8", body: with("\"\xff\""), status: 400, target: "", message: "UTF-8"},
		{name: "unknown member", body: with("1"), status: 400, target: "/more"},
		{name: "cut off", body: whole[:len(whole)/2], status: 400, target: "*"},
		{name: "two documents", body: whole + whole, status: 400, target: "", message: "goes on"},
		{name: "null", body: "null", status: 400, target: ""},
		{name: "a text", body: `"x"`, status: 400, target: ""},
		{name: "XML", body: "<a/>", header: []string{"Content-Type: application/xml"}, status: 415},
		{name: "another charset", body: whole, header: []string{"Content-Type: application/json; charset=latin1"}, status: 415},
		{name: "no content type", body: whole, header: []string{"Content-Type: "}, status: 415},
	}
}

func (b badInput) check(t *testing.T, r reply, limit int64) {
	t.Helper()
	if r.status != b.status {
		t.Fatalf("%d, want %d: %s", r.status, b.status, r.body)
	}
	p := r.problem(t)
	switch b.status {
	case 413:
		if p.Type != "body_too_large" || p.Limit != limit {
			t.Errorf("%+v, want the limit %d", p, limit)
		}
	case 415:
		if p.Type != "unsupported_media_type" {
			t.Errorf("%+v", p)
		}
	default:
		b.checkIssue(t, p)
		if field := fieldOf(t, r); field != p.Issues[0].Target {
			t.Errorf("field %q, want %q", field, p.Issues[0].Target)
		}
		if p.Issues[0].Target == "" && !strings.HasPrefix(p.Detail, "the document "+p.Issues[0].Message) {
			t.Errorf("detail %q", p.Detail)
		}
	}
}

// fieldOf is the member field of a problem, which is there also when it is empty.
func fieldOf(t *testing.T, r reply) string {
	t.Helper()
	var p struct{ Field *string }
	must(t, json.Unmarshal(r.body, &p))
	if p.Field == nil {
		t.Fatalf("no field: %s", r.body)
	}
	return *p.Field
}

func (b badInput) checkIssue(t *testing.T, p Problem) {
	t.Helper()
	for _, issue := range p.Issues {
		if (b.target == "*" || issue.Target == b.target) && strings.Contains(issue.Message, b.message) {
			return
		}
	}
	t.Errorf("no issue at %q that says %q: %+v", b.target, b.message, p.Issues)
}

// TestCharsets: JSON is UTF-8, however it is written.
func TestCharsets(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, `Application/JSON; Charset="UTF-8"`: true,
		"application/json; charset=latin1": false, "application/json; charset=": false, "text/json": false, "": false,
	} {
		if got := isJSON(contentType); got != want {
			t.Errorf("%q: %t", contentType, got)
		}
	}
}

// The whole documents of the table above are accepted, at their limit too.
func TestGoodInput(t *testing.T) {
	w := newWorld(t)
	w.shop()
	body := aProfile(w.scenarioID, "Padded")
	body += strings.Repeat(" ", domain.MaxProfileBytes-len(body))
	r := w.send(request{method: "POST", path: w.at("/stress/profiles"), body: body, header: []string{"Content-Type: application/json; charset=utf-8"}})
	if r.status != 201 {
		t.Errorf("a profile of %d bytes: %d %s", len(body), r.status, r.body)
	}
	w.make(request{method: "PUT", path: w.at("/stress/profiles/{f}"), header: []string{one}, body: aProfile(w.scenarioID, "a<b>&c")})
	if r := w.send(request{method: "GET", path: w.at("/stress/profiles/{f}")}); !strings.Contains(string(r.body), `"name":"a<b>&c"`) {
		t.Errorf("a document does not pass as it is stored: %s", r.body)
	}
}

// A number beyond 2^53 inside a profile is refused at its place, with one issue for it.
func TestProfileNumbersBeyondTheDouble(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for at, change := range map[string][2]string{
		"/arrivals/ratePerSecond":  {`"ratePerSecond":10`, `"ratePerSecond":1e16`},
		"/resources/0/concurrency": {`"concurrency":2`, `"concurrency":1e20`},
		"/seed":                    {`"18446744073709551615"`, `18446744073709551615`},
	} {
		body := strings.Replace(aProfile(w.scenarioID, "Peak"), change[0], change[1], 1)
		p := w.send(request{method: "POST", path: w.at("/stress/profiles"), body: body}).problem(t)
		if p.Status != 400 || len(p.Issues) != 1 || p.Issues[0].Code != domain.CodeInvalidProfile || p.Issues[0].Target != at {
			t.Errorf("%s: %+v", at, p)
		}
	}
}
