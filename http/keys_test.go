package http

import (
	"strings"
	"testing"
)

// A key counts for the member who sends it: another member's request with the same key on the same path is another command.
func TestTheKeyOfAnotherMember(t *testing.T) {
	w := newWorld(t)
	bob := w.invite("bob", "owner")
	post := func(path string) request {
		return request{method: "POST", path: path, body: `{"name":"Shop"}`, header: []string{"Idempotency-Key: one"}}
	}
	for _, path := range []string{"/api/projects", "/api/tokens"} {
		mine, his := w.make(post(path)), w.make(post(path).as(bob))
		if mine == his {
			t.Errorf("%s: bob gets what the administrator made, %s", path, his)
		}
		if again := w.make(post(path).as(bob)); again != his {
			t.Errorf("%s: bob's own again makes %s, not %s", path, again, his)
		}
	}
}

// A key counts for the method too: to save and to delete are two commands.
func TestTheKeyOfAnotherMethod(t *testing.T) {
	w := newWorld(t)
	w.shop()
	const key = "Idempotency-Key: one"
	for path, put := range map[string]string{
		"/scenarios/{s}":       strings.Replace(aScenario, "Checkout", "Other", 1),
		"/stress/profiles/{f}": aProfile(w.scenarioID, "Other"),
	} {
		if r := w.send(request{method: "PUT", path: w.at(path), body: put, header: []string{one, key}}); r.status != 200 {
			t.Fatalf("PUT %s: %d %s", path, r.status, r.body)
		}
	}
	for _, path := range []string{"/stress/profiles/{f}", "/scenarios/{s}"} {
		r := w.send(request{method: "DELETE", path: w.at(path), header: []string{key}})
		if r.status != 204 {
			t.Fatalf("DELETE %s: %d %s", path, r.status, r.body)
		}
		if got := w.send(request{method: "GET", path: w.at(path + "?after=" + r.header.Get(headerPosition))}); got.status != 404 {
			t.Errorf("%s is there after it was deleted: %d %s", path, got.status, got.body)
		}
	}
}

// Where the whole request of the two methods is the same, only the method tells them apart.
func TestTheKeyOfTwoMethodsWithoutABody(t *testing.T) {
	w := newWorld(t)
	ann := w.make(sendAbsolute("POST", "/api/workspaces/{w}/members", `{"name":"ann","role":"viewer"}`)(w))
	at := "/api/workspaces/" + w.first.WorkspaceID + "/members/" + ann
	if r := w.send(request{method: "PUT", path: at, body: `{"role":"editor"}`, header: []string{"Idempotency-Key: one"}}); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	gone := w.send(request{method: "DELETE", path: at, header: []string{"Idempotency-Key: one"}})
	if gone.status != 204 {
		t.Fatalf("%d %s", gone.status, gone.body)
	}
	members := "/api/workspaces/" + w.first.WorkspaceID + "/members?after=" + gone.header.Get(headerPosition)
	if r := w.send(request{method: "GET", path: members}); strings.Contains(string(r.body), ann) {
		t.Errorf("ann kept her role: %s", r.body)
	}
}
