package http

import (
	"bytes"
	"fmt"
	"testing"
)

// A header of a command that has no value is refused: whose key is empty by mistake must not believe that it protects.
func TestAnEmptyHeader(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for _, test := range []struct {
		name, method, path, body string
		version                  string
	}{
		{"Idempotency-Key", "POST", "/api/projects", `{"name":"x"}`, ""},
		{"Idempotency-Key", "DELETE", w.at("/stress/profiles/{f}"), "", ""},
		{"Idempotency-Key", "PUT", w.at("/stress/profiles/{f}"), aProfile(w.scenarioID, "a"), "If-Match: \"1\"\r\n"},
		{"If-Match", "PUT", w.at("/stress/profiles/{f}"), aProfile(w.scenarioID, "a"), ""},
		{"Prefer", "POST", w.at("/stress/profiles/{f}/runs"), "", ""},
	} {
		for _, value := range []string{"", " ", " \t "} {
			head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n",
				test.method, test.path, len(test.body), w.token)
			answer := w.raw(head + test.version + test.name + ":" + value + "\r\n\r\n" + test.body)
			var body bytes.Buffer
			_, err := body.ReadFrom(answer.Body)
			must(t, err)
			got := reply{answer.StatusCode, answer.Header, body.Bytes()}
			if got.status != 400 || got.problem(t).Field != test.name {
				t.Errorf("%s %s with %s: %q: %d %s", test.method, test.path, test.name, value, got.status, got.body)
			}
		}
	}
}
