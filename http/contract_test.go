package http

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
)

// contract is one promise of the route table: this request gets this answer. A problem is named by its type.
type contract struct {
	route   string
	name    string
	request func(w *world) request
	outcome func(w *world, runID string) domain.Event // ends the run that the request makes
	status  int
	problem string
	check   func(t *testing.T, w *world, r reply)
}

func get(path string) func(*world) request {
	return func(w *world) request { return request{method: http.MethodGet, path: w.at(path)} }
}

func getAbsolute(path string) func(*world) request {
	return func(*world) request { return request{method: http.MethodGet, path: path} }
}

func sendTo(method, path, body string, header ...string) func(*world) request {
	return func(w *world) request {
		return request{method: method, path: w.at(path), header: header, body: strings.ReplaceAll(body, "{s}", w.scenarioID)}
	}
}

func run(header ...string) func(*world) request {
	return sendTo("POST", "/stress/profiles/{f}/runs", "", header...)
}

const (
	one     = `If-Match: "1"`
	unknown = "aaaaaaaaaaaaaaaaaaaaaaaaaa" // 26 characters, as an id has
)

// keyed sends another request with the same key first.
func keyed(first, second func(*world) request) func(*world) request {
	return func(w *world) request {
		r := first(w)
		r.header = append(r.header, "Idempotency-Key: k")
		w.make(r)
		r = second(w)
		r.header = append(r.header, "Idempotency-Key: k")
		return r
	}
}

func contracts() []contract {
	return slices.Concat(serverContracts(), accessContracts(), projectContracts(), modelContracts(), scenarioContracts(), profileContracts(), runContracts(),
		branchContracts(), objectivesContracts(), serviceContracts(), compareContracts(), logContracts())
}

// TestContract sends every contract to a server of its own, and makes sure that no answer and no refusal of the
// route table is without one.
func TestContract(t *testing.T) {
	routes := map[string]Route{}
	for _, r := range Routes() {
		routes[r.Name] = r
	}
	seen := map[string]bool{}
	for _, c := range contracts() {
		seen[c.route+" "+strconv.Itoa(c.status)+c.problem] = true
		t.Run(c.route+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.try(t, routes[c.route])
		})
	}
	for _, r := range Routes() {
		for _, a := range r.Answers {
			if !seen[r.Name+" "+strconv.Itoa(a.Status)] {
				t.Errorf("%s: no contract for its answer %d", r.Name, a.Status)
			}
		}
		for _, problem := range r.Refusals {
			if !slices.ContainsFunc(contracts(), func(c contract) bool { return c.route == r.Name && c.problem == problem }) {
				t.Errorf("%s: no contract for its refusal %s", r.Name, problem)
			}
		}
	}
}

func (c contract) try(t *testing.T, route Route) {
	if route.Name == "" {
		t.Fatalf("%s is not in the route table", c.route)
	}
	w := newWorld(t)
	w.shop()
	r := c.request(w)
	var got reply
	if c.outcome != nil {
		got = w.run(r, c.outcome)
	} else {
		got = w.send(r)
	}
	if got.status != c.status {
		t.Fatalf("%s %s: %d, want %d: %s", r.method, r.path, got.status, c.status, got.body)
	}
	checkSchema(t, route, got)
	checkHeadersOf(t, route, got)
	if c.problem != "" {
		c.checkProblem(t, route, got)
	} else {
		checkAnswer(t, route, got)
	}
	if c.check != nil {
		c.check(t, w, got)
	}
}

func (c contract) checkProblem(t *testing.T, route Route, got reply) {
	t.Helper()
	p := got.problem(t)
	if p.Type != c.problem || p.Status != got.status || p.Title == "" || p.Detail == "" {
		t.Errorf("problem %+v, want the type %s with title and detail", p, c.problem)
	}
	if !slices.Contains(problemsOf(route), p.Type) {
		t.Errorf("the table does not know the problem %s of %s", p.Type, route.Name)
	}
	for _, inside := range []string{": conflict", "mismatch", "context", "deadline"} {
		if strings.Contains(p.Detail, inside) {
			t.Errorf("the detail %q shows the inside of the program", p.Detail)
		}
	}
	if p.Status == 400 && (fieldOf(t, got) != p.Field || p.Field != p.Issues[0].Target || p.Issues[0].Message == "") {
		t.Errorf("a 400 names the first issue: %+v", p)
	}
}

// ofTheConnection are headers that every answer of HTTP has or may have.
var ofTheConnection = []string{"Content-Type", "Content-Length", "Transfer-Encoding", "Date", "Connection"}

// checkHeadersOf compares the headers of an answer with those that the OpenAPI document lists.
func checkHeadersOf(t *testing.T, route Route, got reply) {
	t.Helper()
	always, some := route.headers(got.status)
	if got.status >= 400 {
		always, some = route.problemHeaders()
	}
	for name := range got.header {
		if !slices.ContainsFunc(slices.Concat(always, some, ofTheConnection), func(known string) bool { return http.CanonicalHeaderKey(known) == name }) {
			t.Errorf("the header %s of %d is not described", name, got.status)
		}
	}
	for _, name := range always {
		if got.header.Get(name) == "" {
			t.Errorf("%d has no header %s", got.status, name)
		}
	}
}

// checkAnswer reads the body into the type of the table, strictly.
func checkAnswer(t *testing.T, route Route, got reply) {
	t.Helper()
	at := slices.IndexFunc(route.Answers, func(a Answer) bool { return a.Status == got.status })
	if at < 0 {
		t.Fatalf("the table does not know the answer %d", got.status)
	}
	if of := route.Answers[at].Type; of == nil {
		if len(got.body) > 0 {
			t.Errorf("%d with a body: %s", got.status, got.body)
		}
	} else {
		for _, text := range got.documents() {
			reply{body: text}.into(t, reflect.New(reflect.TypeOf(of)).Interface())
		}
	}
}
