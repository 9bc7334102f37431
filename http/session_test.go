package http

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
)

// session is what getSession answers to these header lines.
func (w *world) session(header ...string) reply {
	w.t.Helper()
	return w.send(request{method: "GET", path: "/api/session", header: header, anonymous: true})
}

func TestTokensThatOpenNothing(t *testing.T) {
	w := newWorld(t)
	var revoked, expiring IssuedToken
	w.send(request{method: "POST", path: "/api/tokens", body: `{}`}).into(t, &revoked)
	w.send(request{method: "POST", path: "/api/tokens", body: `{"expiresAt":"2026-11-29T13:00:00Z"}`}).into(t, &expiring)
	for _, token := range []string{revoked.Token, expiring.Token} {
		if r := w.session("Authorization: Bearer " + token); r.status != 200 {
			t.Fatalf("a new token: %d", r.status)
		}
	}
	if r := w.send(request{method: "DELETE", path: "/api/tokens/" + revoked.ID}); r.status != 204 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	later := commands.New(w.store, func() time.Time { return started.Add(time.Hour) })
	w.serve([]func(*Config){func(c *Config) { c.Commands = later }})
	for _, header := range []string{
		"Authorization: Bearer " + revoked.Token, "Authorization: Bearer " + expiring.Token, "Authorization: Bearer", "Authorization: Bearer ",
		"Authorization: Basic " + w.token, "Authorization: " + w.token, "Authorization: Bearer " + w.token + "x", "X-Nothing: x",
	} {
		if r := w.session(header); r.status != 401 || r.problem(t).Type != "unauthenticated" {
			t.Errorf("%s: %d", header, r.status)
		}
	}
	if r := w.session("Authorization: bearer " + w.token); r.status != 200 {
		t.Errorf("the name of a scheme has no case: %d", r.status)
	}
}

// login posts a body to the session and gives the cookie.
func (w *world) login(body string) *http.Cookie {
	w.t.Helper()
	r := w.send(request{method: "POST", path: "/api/session", body: body, anonymous: true})
	cookies := (&http.Response{Header: r.header}).Cookies()
	if r.status != 200 || len(cookies) != 1 {
		w.t.Fatalf("%d %s, cookies %v", r.status, r.body, cookies)
	}
	return cookies[0]
}

func TestTheCookieOfABrowser(t *testing.T) {
	w := newWorld(t)
	cookie := w.login(`{"token":"` + w.token + `"}`)
	port := w.url[strings.LastIndex(w.url, ":")+1:]
	if cookie.Name != "proofload-session-"+port || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" ||
		cookie.Domain != "" || cookie.MaxAge != 7*24*3600 || cookie.Secure {
		t.Errorf("cookie %+v", cookie)
	}
	send := "Cookie: " + cookie.Name + "=" + cookie.Value
	if r := w.session(send); r.status != 200 {
		t.Errorf("logged in: %d", r.status)
	}
	if r := w.session(send, "Authorization: Bearer x"); r.status != 401 {
		t.Errorf("a wrong token beside the cookie: %d", r.status)
	}
	for header, want := range map[string]int{"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-origin": 201} {
		r := w.send(request{method: "POST", path: "/api/projects", body: `{"name":"x"}`, header: []string{send, header}, anonymous: true})
		if r.status != want {
			t.Errorf("a write with %s: %d, want %d", header, r.status, want)
		}
	}
	if r := w.session("Cookie: " + cookie.Name + "=x"); r.status != 401 {
		t.Errorf("another cookie: %d", r.status)
	}
}

// Logging out ends a session that a link opened; a token that was typed in goes on to work elsewhere.
func TestLogOut(t *testing.T) {
	w := newWorld(t)
	byToken, byLink := w.login(`{"token":"`+w.token+`"}`), w.login(`{"code":"`+w.server.LoginCode(w.first.MemberID)+`"}`)
	if byLink.Value == w.token {
		t.Error("a link gives the token of the data folder away")
	}
	for _, test := range []struct {
		cookie *http.Cookie
		after  int
		commit bool // something was revoked
	}{{byToken, 200, false}, {byLink, 401, true}} {
		send := "Cookie: " + test.cookie.Name + "=" + test.cookie.Value
		r := w.send(request{method: "DELETE", path: "/api/session", header: []string{send}, anonymous: true})
		gone := (&http.Response{Header: r.header}).Cookies()
		if r.status != 204 || len(gone) != 1 || gone[0].MaxAge >= 0 || gone[0].Value != "" {
			t.Errorf("%d %s, cookies %v", r.status, r.body, gone)
		}
		if got := r.header.Get(headerPosition); (got != "") != test.commit {
			t.Errorf("%s is %q", headerPosition, got)
		}
		if r := w.session("Authorization: Bearer " + test.cookie.Value); r.status != test.after {
			t.Errorf("the token gives %d, want %d", r.status, test.after)
		}
	}
}

// The pages of the log-in load without a token, and nothing from elsewhere.
func TestLoginPages(t *testing.T) {
	w := newWorld(t)
	for _, page := range webPages {
		r := w.send(request{method: "GET", path: page.path, anonymous: true})
		if r.status != 200 || r.header.Get("Content-Type") != page.contentType || len(r.body) == 0 {
			t.Errorf("%s: %d %s", page.path, r.status, r.header.Get("Content-Type"))
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		} {
			if got := r.header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", page.path, name, got)
			}
		}
		if strings.Contains(string(r.body), "http://") || strings.Contains(string(r.body), "https://") || strings.Contains(string(r.body), " style=") {
			t.Errorf("%s: something that the policy forbids", page.path)
		}
	}
}

// Nothing that opens anything stands in the log.
func TestTheLogHasNoTokens(t *testing.T) {
	w := newWorld(t)
	code := w.server.LoginCode(w.first.MemberID)
	cookie := w.login(`{"code":"` + code + `"}`)
	var issued IssuedToken
	w.send(request{method: "POST", path: "/api/tokens", body: `{"member":"admin"}`}).into(t, &issued)
	w.session("Cookie: " + cookie.Name + "=" + cookie.Value)
	w.session("Authorization: Bearer " + w.token + "x")
	w.send(request{method: "POST", path: "/api/session", body: `{"token":"hush"}`})
	log := w.log.String()
	for _, secret := range []string{code, cookie.Value, issued.Token, w.token, "hush"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q stands in the log", secret)
		}
	}
	if !strings.Contains(log, "member="+w.first.MemberID) || strings.Count(log, "msg=request") != 5 {
		t.Error(log)
	}
}
