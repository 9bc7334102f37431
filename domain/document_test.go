package domain

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Documents that are valid and have every member at least once.
const (
	validModel = `{
		"elements": [
			{"id": "web", "name": "Web", "kind": "service", "description": "in front"},
			{"id": "db", "name": "Database", "kind": "store"},
			{"id": "bank", "name": "Bank", "kind": "external"}
		],
		"operations": [
			{"id": "buy", "elementId": "web", "name": "Buy", "timeoutMs": 2000, "retry": {"maxAttempts": 3, "backoffMs": 0.5}},
			{"id": "pay", "elementId": "bank", "name": "Pay", "timeoutMs": 0, "retry": {"maxAttempts": 1, "backoffMs": 0}}
		],
		"channels": [{"id": "orders", "name": "Orders", "kind": "topic"}, {"id": "lost", "name": "Lost", "kind": "queue"}],
		"bindings": [
			{"id": "b1", "fromChannelId": "orders", "toChannelId": "lost", "routingKey": "order.*.#"},
			{"id": "b2", "fromChannelId": "orders", "toChannelId": "lost"}
		],
		"subscriptions": [
			{"id": "mail", "channelId": "orders", "elementId": "web", "name": "Mail",
			 "retry": {"maxAttempts": 10, "backoffMs": 100}, "deadLetterChannelId": "lost"},
			{"id": "print", "channelId": "lost", "elementId": "web", "name": "Print", "retry": {"maxAttempts": 1, "backoffMs": 0}}
		]
	}`
	validScenario = `{
		"name": "Buying", "description": "one purchase",
		"steps": [
			{"id": "s1", "kind": "call", "operationId": "buy", "steps": [{"id": "s2", "kind": "write", "elementId": "db"}],
			 "onError": [{"id": "s3", "kind": "publish", "channelId": "orders", "routingKey": "order.failed"}]},
			{"id": "s4", "kind": "parallel", "branches": [[], [{"id": "s5", "kind": "call", "operationId": "pay"}]]},
			{"id": "s6", "kind": "branch", "then": [], "else": [{"id": "s7", "kind": "publish", "channelId": "lost"}], "condition": "is paid"}
		],
		"handlers": [{"subscriptionId": "mail", "steps": [{"id": "s8", "kind": "write", "elementId": "db"}]}],
		"faults": [{"any": [1, {"z": 1, "a": 2}]}],
		"assertions": [{}]
	}`
	validProfile = `{
		"name": "Peak", "scenarioId": "buying", "seed": "1",
		"arrivals": {"kind": "poisson", "ratePerSecond": 40, "durationSeconds": 60, "warmUpSeconds": 5, "label": "measured", "measurementRef": "m-1"},
		"resources": [
			{"elementId": "web", "concurrency": 4, "queueCapacity": 100, "label": "declared"},
			{"elementId": "db", "concurrency": 2, "queueCapacity": null},
			{"elementId": "bank", "concurrency": 1}
		],
		"serviceTimes": [
			{"target": "buy", "time": {"kind": "fixed", "ms": 5}},
			{"target": "pay", "time": {"kind": "exponential", "meanMs": 20}},
			{"target": "db", "time": {"kind": "lognormal", "medianMs": 4, "p95Ms": 9}, "label": "measured", "measurementRef": "m-1"},
			{"target": "mail", "time": {"kind": "uniform", "minMs": 1, "maxMs": 2}}
		],
		"subscriptions": [{"subscriptionId": "mail", "consumers": 2, "queueCapacity": 0}, {"subscriptionId": "print", "consumers": 1}],
		"branches": [{"stepId": "s6", "probability": 0.25}],
		"overrides": [
			{"target": "buy", "timeoutMs": 1000, "maxAttempts": 2, "backoffMs": 10},
			{"target": "mail", "backoffMs": 0}
		],
		"outages": [{"target": "bank", "fromSeconds": 10, "toSeconds": 12.5}, {"target": "bank", "fromSeconds": 12, "toSeconds": 13}]
	}`
	validMeasurement = `{
		"id": "m-1", "name": "Tuesday",
		"source": {"kind": "ndjson", "k6Version": "1.2.0", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "bytes": 1000, "fileName": "points.json"},
		"binding": {"branchId": "main", "modelVersion": 3, "scenarioVersion": 2},
		"run": {"startedAt": "2026-01-31T09:30:00Z", "durationSeconds": 60, "loadModel": "open", "plannedRate": 40, "droppedIterations": 0, "interrupted": false},
		"rows": [
			{"key": {"name": "db"}, "metric": "http_req_duration", "count": 100, "failed": 1, "failureRate": 0.01, "ratePerSecond": 1.6,
			 "minMs": 1, "meanMs": 5, "medianMs": 4, "p90Ms": 8, "p95Ms": 9, "p99Ms": null, "maxMs": 20,
			 "all": {"minMs": 1, "meanMs": 5, "medianMs": 4, "p90Ms": 8, "p95Ms": 9, "p99Ms": null, "maxMs": 20},
			 "fit": {"kind": "lognormal", "medianMs": 4, "p95Ms": 9, "checks": [{"statistic": "p90Ms", "measuredMs": 8, "fittedMs": 7.5}]},
			 "target": "db", "histogram": "SGlzdG9ncmFt"}
		],
		"warnings": [{"code": "no-pure-service-time", "text": "A request latency holds the network and the wait.", "count": 1}]
	}`
	validObjectives = `[{"name": "fast", "expect": "flow.p99 < 250ms"}]`
)

var validBundle = fmt.Sprintf(`{"model": %s, "scenario": %s, "profile": %s, "measurements": [%s, {"id": "m-2", "inDoubt": true, "stale": false}], "objectives": %s}`,
	validModel, validScenario, validProfile, validMeasurement, validObjectives)

// parser reads a document and gives what it became with its issues.
type parser struct {
	name  string
	valid string
	parse func(data []byte) (any, error)
}

func documentParser[T any](name, valid string, parse func([]byte) (T, error)) parser {
	return parser{name, valid, func(data []byte) (any, error) { return parse(data) }}
}

var parsers = []parser{
	documentParser("model", validModel, ParseModel),
	documentParser("scenario", validScenario, ParseScenario),
	documentParser("profile", validProfile, ParseProfile),
	documentParser("measurement", validMeasurement, ParseMeasurement),
	documentParser("objectives", validObjectives, ParseObjectives),
	documentParser("bundle", validBundle, ParseBundle),
	documentParser("canonical", validBundle, Canonical),
}

// TestValidDocuments proves that the documents that all tables change are valid as they stand.
func TestValidDocuments(t *testing.T) {
	for _, p := range parsers {
		parsed, err := p.parse([]byte(p.valid))
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if bundle, ok := parsed.(Bundle); ok && len(bundle.ProfileIssues) > 0 {
			t.Errorf("%s: %v", p.name, bundle.ProfileIssues)
		}
	}
}

// change is a valid document with one place changed, and the one place that an issue then names.
type change struct {
	at    string // JSON Pointer
	value string // JSON; empty: the member is taken away
	want  string // target of the issue; empty: still valid
}

// Targets of a change that is refused at the place itself, and for the whole document.
const (
	here  = "(here)"
	whole = "(whole)"
)

func runChanges(t *testing.T, valid string, parse func([]byte) (any, error), changes []change) {
	t.Helper()
	for _, c := range changes {
		name := fmt.Sprintf("%s=%.60s", c.at, c.value)
		t.Run(name, func(t *testing.T) {
			want := []string{}
			switch c.want {
			case "":
			case here:
				want = append(want, c.at)
			case whole:
				want = append(want, "")
			default:
				want = append(want, c.want)
			}
			_, err := parse(changed(t, valid, c.at, c.value))
			if diff := cmp.Diff(want, targets(t, err)); diff != "" {
				t.Errorf("%v\ntargets (-want +got):\n%s", err, diff)
			}
		})
	}
}

// targets lists the places of an *InvalidError; each of its issues has a sentence.
func targets(t *testing.T, err error) []string {
	t.Helper()
	places := []string{}
	if err == nil {
		return places
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Issues) == 0 {
		t.Fatalf("want an InvalidError with issues, not %v", err)
	}
	for _, issue := range invalid.Issues {
		if issue.Code == "" || issue.Message == "" {
			t.Errorf("no code or message: %+v", issue)
		}
		places = append(places, issue.Target)
	}
	return places
}

// changed sets, adds or takes away one value of a document.
func changed(t *testing.T, doc, pointer, to string) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(doc), &root); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for token := range jsontext.Pointer(pointer).Tokens() {
		tokens = append(tokens, token)
	}
	data, err := json.Marshal(set(t, root, tokens, to))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func set(t *testing.T, v any, tokens []string, to string) any {
	t.Helper()
	if len(tokens) == 0 {
		return jsontext.Value(to)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(tokens) == 1 && to == "" {
			delete(v, tokens[0])
			return v
		}
		v[tokens[0]] = set(t, v[tokens[0]], tokens[1:], to)
		return v
	case []any:
		i, err := strconv.Atoi(tokens[0])
		if err != nil || i > len(v) {
			t.Fatalf("no entry %q", tokens[0])
		}
		if i == len(v) {
			v = append(v, nil)
		}
		v[i] = set(t, v[i], tokens[1:], to)
		return v
	default:
		t.Fatalf("nothing at %v", tokens)
		return nil
	}
}

// entries is a list of n entries; each %d of the entry is its index.
func entries(n int, entry string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(entry, "%d", strconv.Itoa(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// idOf is an id of n characters.
func idOf(n int) string { return strings.Repeat("a", n) }

// sameSteps lets cmp compare deep steps in linear time; an absent list equals an empty one.
var sameSteps = cmp.FilterValues(func(a, b []Step) bool { return len(a)+len(b) > 0 }, cmp.Comparer(equalSteps))

func equalSteps(a, b []Step) bool { return slices.EqualFunc(a, b, equalStep) }

func equalStep(a, b Step) bool {
	if !equalSteps(a.Steps, b.Steps) || !equalSteps(a.OnError, b.OnError) || !equalSteps(a.Then, b.Then) || !equalSteps(a.Else, b.Else) ||
		!slices.EqualFunc(a.Branches, b.Branches, equalSteps) {
		return false
	}
	for _, s := range []*Step{&a, &b} {
		s.Steps, s.OnError, s.Then, s.Else, s.Branches = nil, nil, nil, nil, nil
	}
	return reflect.DeepEqual(a, b)
}
