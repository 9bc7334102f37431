package domain

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// fixtures gives the stored payloads by "<name>.<schema>": one for every schema that was ever written.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	payloads := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		payloads[strings.TrimSuffix(filepath.Base(file), ".json")] = data
	}
	return payloads
}

func TestEverySchemaOfEveryEventHasAFixture(t *testing.T) {
	payloads := fixtures(t)
	for name := range events.readers {
		for schema := 1; schema <= events.newest(name); schema++ {
			key := name + "." + strconv.Itoa(schema)
			if _, ok := payloads[key]; !ok {
				t.Errorf("no fixture %s", key)
			}
			delete(payloads, key)
		}
	}
	for key := range payloads {
		t.Errorf("fixture %s is of no event", key)
	}
}

func TestFixturesDecode(t *testing.T) {
	for key, payload := range fixtures(t) {
		name, digits, _ := strings.Cut(key, ".")
		schema, _ := strconv.Atoi(digits)
		event, err := Decode(name, schema, payload)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		gotName, gotSchema, data, err := Encode(event)
		if err != nil || gotName != name || gotSchema != events.newest(name) {
			t.Errorf("%s is encoded as %s, schema %d: %v", key, gotName, gotSchema, err)
		}
		if again, err := Decode(gotName, gotSchema, data); err != nil || !cmp.Equal(event, again) {
			t.Errorf("%s decodes to something else after Encode (%v): %s", key, err, cmp.Diff(event, again))
		}
	}
}

// A payload with any one of its members left out, or with one more, is refused. The members that may be missing
// are the ones that are left out when they are empty.
func TestDecodeRefusesOtherMembers(t *testing.T) {
	optional := map[string]bool{"modelBlob": true, "scenarioBlob": true}
	for key, payload := range fixtures(t) {
		name, _, _ := strings.Cut(key, ".")
		var doc map[string]jsontext.Value
		if err := json.Unmarshal(payload, &doc); err != nil {
			t.Fatal(err)
		}
		for member := range doc {
			_, err := Decode(name, 1, without(t, doc, member))
			if (err == nil) != optional[member] {
				t.Errorf("%s without %s: %v", name, member, err)
			}
		}
		doc["colour"] = jsontext.Value(`1`)
		if _, err := Decode(name, 1, without(t, doc, "")); err == nil {
			t.Errorf("%s with an unknown member is taken", name)
		}
	}
}

func without(t *testing.T, doc map[string]jsontext.Value, member string) []byte {
	t.Helper()
	rest := map[string]jsontext.Value{}
	for k, v := range doc {
		if k != member {
			rest[k] = v
		}
	}
	data, err := json.Marshal(rest)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeRefuses(t *testing.T) {
	const started = `{"runId":"r","worker":"w"}`
	for _, tt := range []struct {
		what    string
		name    string
		schema  int
		payload string
		want    error // nil: any
	}{
		{"a name that nobody knows", "RunPainted", 1, `{}`, ErrUnknownEvent},
		{"a schema from the future", "RunStarted", 2, started, ErrNewerSchema},
		{"schema 0", "RunStarted", 0, started, nil},
		{"no payload", "RunStarted", 1, ``, nil},
		{"null", "RunStarted", 1, `null`, nil},
		{"a list", "RunStarted", 1, `[]`, nil},
		{"null in place of a text", "RunStarted", 1, `{"runId":"r","worker":null}`, nil},
		{"null in place of a list", "RunReleased", 1, `{"runId":"r","open":null,"recent":[]}`, nil},
		{"another type", "RunStarted", 1, `{"runId":"r","worker":1}`, nil},
		{"a member twice", "RunStarted", 1, `{"runId":"r","worker":"w","worker":"w"}`, nil},
		{"another spelling", "RunStarted", 1, `{"runid":"r","worker":"w"}`, nil},
		{"an admission without its instant", "RunReleased", 1, `{"runId":"r","open":[{"runId":"r"}],"recent":[]}`, nil},
		{"bad UTF-8", "RunStarted", 1, "{\"runId\":\"r\",\"worker\":\"\xff\"}", nil},
		{"more after it", "RunStarted", 1, started + "1", nil},
	} {
		event, err := Decode(tt.name, tt.schema, []byte(tt.payload))
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.what, event, err, tt.want)
		}
	}
}

// unknown is an event that the registry does not have.
type unknown struct{}

func (unknown) EventName() string { return "RunPainted" }

func TestEncodeRefusesAnUnknownEvent(t *testing.T) {
	if _, _, _, err := Encode(unknown{}); !errors.Is(err, ErrUnknownEvent) {
		t.Errorf("got %v", err)
	}
}

// history is a codec in which RunStarted is at schema 3: schema 1 had no worker, schema 2 called it host.
var history = codec{readers: events.readers, upcasts: map[string][]upcast{"RunStarted": {
	func(data []byte) ([]byte, error) { return edit(data, "", "host", `"unknown"`) },
	func(data []byte) ([]byte, error) { return edit(data, "host", "worker", "") },
}}}

// edit moves a member to another name, or sets it where from is empty.
func edit(data []byte, from, to, value string) ([]byte, error) {
	var doc map[string]jsontext.Value
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	doc[to] = jsontext.Value(value)
	if from != "" {
		doc[to] = doc[from]
		delete(doc, from)
	}
	return json.Marshal(doc)
}

func TestUpcastsRunInTurn(t *testing.T) {
	for _, tt := range []struct {
		schema  int
		payload string
		want    RunStarted
	}{
		{1, `{"runId":"r"}`, RunStarted{RunID: "r", Worker: "unknown"}},
		{2, `{"runId":"r","host":"h"}`, RunStarted{RunID: "r", Worker: "h"}},
		{3, `{"runId":"r","worker":"w"}`, RunStarted{RunID: "r", Worker: "w"}},
	} {
		got, err := history.decode("RunStarted", tt.schema, []byte(tt.payload))
		if err != nil || got != tt.want {
			t.Errorf("schema %d: %v, %v", tt.schema, got, err)
		}
	}
	if _, err := history.decode("RunStarted", 1, []byte(`{"runId":`)); err == nil {
		t.Error("a payload that no upcast can read is taken")
	}
	if _, schema, _, err := history.encode(RunStarted{}); schema != 3 || err != nil {
		t.Errorf("encoded at schema %d, %v", schema, err)
	}
}

// What Decode takes, Encode writes and Decode reads again as the same event; nothing makes it panic.
func FuzzDecode(f *testing.F) {
	for key, payload := range fixtures(f) {
		name, _, _ := strings.Cut(key, ".")
		f.Add(name, payload)
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		event, err := Decode(name, 1, payload)
		if err != nil {
			return
		}
		gotName, schema, data, err := Encode(event)
		if err != nil || gotName != name {
			t.Fatalf("%v is encoded as %s: %v", event, gotName, err)
		}
		if again, err := Decode(gotName, schema, data); err != nil || !cmp.Equal(event, again) {
			t.Fatalf("%s: %v: %s", data, err, cmp.Diff(event, again))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	event, err := Decode("ProfileSaved", 1, fixtures(b)["ProfileSaved.1"])
	if err != nil {
		b.Fatal(err)
	}
	name, schema, data, err := Encode(event)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Decode(name, schema, data); err != nil {
			b.Fatal(err)
		}
	}
}
