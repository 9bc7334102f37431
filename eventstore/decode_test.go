package eventstore

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeRefuses(t *testing.T) {
	const good = `{"commandId":"c","events":[{"name":"A","schema":1,"data":{}}]}`
	for name, c := range map[string]struct{ subject, data string }{
		"no JSON":        {"evt.w.t.i", "{"},
		"empty":          {"evt.w.t.i", ""},
		"array":          {"evt.w.t.i", "[]"},
		"no events":      {"evt.w.t.i", `{"commandId":"c"}`},
		"null":           {"evt.w.t.i", "null"},
		"bad time":       {"evt.w.t.i", `{"at":"yesterday","events":[{"name":"A"}]}`},
		"three tokens":   {"evt.w.t", good},
		"five tokens":    {"evt.w.t.i.x", good},
		"another prefix": {"blob.w.t.i", good},
		"empty token":    {"evt..t.i", good},
	} {
		if _, err := decode(c.subject, 7, []byte(c.data)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := decode("evt._.instance.instance", 7, []byte(good))
	if err != nil || r.Aggregate != (Aggregate{"_", "instance", "instance"}) || r.Seq != 7 || r.CommandID != "c" {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzDecode(f *testing.F) {
	c := commit(1)
	data, err := encode(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("evt.w1.profile.p", data)
	f.Add("evt._.instance.instance", []byte(`{"events":[{"name":"A","schema":2,"data":null}]}`))
	f.Add("evt.w.t", []byte(`{"at":"2026-11-29T12:00:00+01:00","events":[{}]}`))
	f.Fuzz(func(t *testing.T, subject string, data []byte) {
		r, err := decode(subject, 1, data)
		if err != nil {
			return
		}
		if r.Aggregate.Subject() != subject {
			t.Errorf("subject %q became %q", subject, r.Aggregate.Subject())
		}
		roundTrip(t, r)
	})
}

// roundTrip: a commit that was read is stored and read again as the same.
func roundTrip(t *testing.T, r Record) {
	t.Helper()
	data, err := encode(r.Commit)
	if err != nil {
		t.Fatalf("what was read cannot be stored: %v", err)
	}
	again, err := decode(r.Aggregate.Subject(), 1, data)
	if err != nil {
		t.Fatal(err)
	}
	second, err := encode(again.Commit)
	if err != nil {
		t.Fatal(err)
	}
	sameTime := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	if diff := cmp.Diff(string(data), string(second)); diff != "" || !cmp.Equal(r.At, again.At, sameTime) {
		t.Errorf("%s\n%v, %v", diff, r.At, again.At)
	}
}
