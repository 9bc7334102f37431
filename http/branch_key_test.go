package http

import (
	"strings"
	"testing"
)

// Main has three names in a request: none, main and the id that the list of branches gives it. For a key they are one.
func TestTheKeyOfMain(t *testing.T) {
	w := newWorld(t)
	w.shop()
	send := func(query string) reply {
		return w.send(request{method: "PUT", path: w.at("/model" + query), body: strings.Replace(aModel, "Buy", "Pay", 1), header: []string{`If-Match: "1"`, "Idempotency-Key: one"}})
	}
	first := send("")
	if first.status != 200 {
		t.Fatalf("%d %s", first.status, first.body)
	}
	for _, query := range []string{"?branchId=main", "?branchId=" + w.projectID} {
		again := send(query)
		if again.status != 200 || again.header.Get(headerPosition) != first.header.Get(headerPosition) || again.header.Get("ETag") != `"2"` {
			t.Errorf("%s: %d %s", query, again.status, again.body)
		}
	}
}
