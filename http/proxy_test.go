package http

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// from sends a request to the handler as if it came over a connection from peer.
func (w *world) from(peer string, r request) *httptest.ResponseRecorder {
	w.t.Helper()
	sent := httptest.NewRequestWithContext(w.t.Context(), r.method, r.path, strings.NewReader(r.body))
	sent.RemoteAddr = peer
	sent.Header.Set("Content-Type", "application/json")
	for _, line := range r.header {
		name, value, _ := strings.Cut(line, ": ")
		sent.Header.Add(name, value)
		if name == "Host" {
			sent.Host = value
		}
	}
	recorder := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(recorder, sent)
	return recorder
}

func behind(proxiesOnly bool) func(*Config) {
	return func(c *Config) {
		c.AnyHost, c.ProxiesOnly, c.UserHeader = true, proxiesOnly, "X-User"
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("fd00::/64")}
	}
}

const (
	proxy   = "10.0.0.7:4711"
	outside = "10.0.0.8:4711"
)

// The user header of a proxy names the member; from elsewhere it says nothing.
func TestTheUserHeaderOfAProxy(t *testing.T) {
	w := newWorld(t, behind(false))
	bob := w.invite("bob", "viewer")
	w.invite("Ünal", "viewer")
	for _, test := range []struct {
		name, peer string
		header     []string
		status     int
		member     string
	}{
		{"the proxy names bob", proxy, []string{"X-User: bob"}, 200, "bob"},
		{"in another case", proxy, []string{"X-User: BOB"}, 200, "bob"},
		{"in another form of Unicode", proxy, []string{"X-User: u\u0308nal"}, 200, "Ünal"},
		{"over IPv6", "[fd00::9]:1", []string{"X-User: bob"}, 200, "bob"},
		{"an IPv4 address in IPv6", "[::ffff:10.0.0.7]:1", []string{"X-User: bob"}, 200, "bob"},
		{"an address outside", outside, []string{"X-User: bob"}, 401, ""},
		{"this machine itself", "127.0.0.1:1", []string{"X-User: bob"}, 401, ""},
		{"the address in a header", outside, []string{"X-User: bob", "X-Forwarded-For: 10.0.0.7"}, 401, ""},
		{"no address", "", []string{"X-User: bob"}, 401, ""},
		{"nobody of that name", proxy, []string{"X-User: eve"}, 401, ""},
		{"two names", proxy, []string{"X-User: bob", "X-User: admin"}, 401, ""},
		{"an empty name", proxy, []string{"X-User: "}, 401, ""},
		{"no name", proxy, nil, 401, ""},
		{"another header", proxy, []string{"X-Forwarded-User: bob"}, 401, ""},
		{"a token through the proxy", proxy, []string{"X-User: admin", "Authorization: Bearer " + bob}, 200, "bob"},
		{"a wrong token through the proxy", proxy, []string{"X-User: admin", "Authorization: Bearer x"}, 401, ""},
		{"the proxy's own basic authentication", proxy, []string{"X-User: bob", "Authorization: Basic Ym9iOng="}, 200, "bob"},
		{"a token from outside", outside, []string{"X-User: admin", "Authorization: Bearer " + bob}, 200, "bob"},
	} {
		r := w.from(test.peer, request{method: "GET", path: "/api/session", header: test.header})
		if r.Code != test.status || test.member != "" && !strings.Contains(r.Body.String(), `"name":"`+test.member+`"`) {
			t.Errorf("%s: %d %s", test.name, r.Code, r.Body)
		}
	}
}

// Who is not known learns by which header and which name it was asked for.
func TestTheUserHeaderNamesNobody(t *testing.T) {
	w := newWorld(t, behind(false))
	for header, want := range map[string]string{"X-User: eve": `names \"eve\", and no member has this name`, "X-User: ": "names nobody"} {
		r := w.from(proxy, request{method: "GET", path: "/api/session", header: []string{header}})
		if r.Code != 401 || !strings.Contains(r.Body.String(), "X-User of the proxy "+want) || r.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%q: %d %s", header, r.Code, r.Body)
		}
	}
}

// Without TLS, only the proxy and this machine are answered: others would send their tokens in plain text.
func TestOnlyTheProxyIsAnswered(t *testing.T) {
	w := newWorld(t, behind(true))
	for peer, want := range map[string]int{proxy: 200, "127.0.0.1:1": 200, "[::1]:1": 200, outside: 403, "[fe80::1%eth0]:1": 403, "": 403} {
		r := w.from(peer, request{method: "GET", path: "/api/session", header: []string{"Authorization: Bearer " + w.token}})
		if r.Code != want || want == 403 && !strings.Contains(r.Body.String(), `"forbidden_peer"`) {
			t.Errorf("%q: %d %s", peer, r.Code, r.Body)
		}
	}
}

// The cookie is for encrypted connections only where the browser has one.
func TestTheCookieIsSecureOverTLS(t *testing.T) {
	w := newWorld(t, behind(false))
	for _, test := range []struct {
		peer, forwarded string
		secure          bool
	}{{proxy, "https", true}, {proxy, "http", false}, {outside, "https", false}} {
		r := w.from(test.peer, request{
			method: "POST", path: "/api/session", header: []string{"X-Forwarded-Proto: " + test.forwarded}, body: `{"token":"` + w.token + `"}`,
		})
		cookies := (&http.Response{Header: r.Header()}).Cookies()
		if len(cookies) != 1 || cookies[0].Secure != test.secure || cookies[0].Name != "proofload-session" {
			t.Errorf("%+v: %v", test, cookies)
		}
	}
}

// A server that others reach by names of its own does not look at the Host header.
func TestAnyHost(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.AnyHost = true })
	if r := w.send(request{method: "GET", path: "/healthz", header: []string{"Host: proofload.example"}}); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// What is refused before anybody asks who sends it has an id and a line in the log, as all requests have.
func TestForeignRequestsAreLogged(t *testing.T) {
	for want, test := range map[string]struct {
		peer   string
		header string
		change func(*Config)
	}{
		"forbidden_peer": {outside, "X-Nothing: x", behind(true)},
		"forbidden_host": {proxy, "X-Nothing: x", func(*Config) {}}, // httptest asks for example.com
		"cross_origin":   {proxy, "Origin: http://evil.example", behind(false)},
	} {
		w := newWorld(t, test.change)
		r := w.from(test.peer, request{method: "POST", path: "/api/projects", header: []string{test.header, "X-Request-Id: mine"}})
		if r.Code != 403 || !strings.Contains(r.Body.String(), want) || r.Header().Get("X-Request-Id") != "mine" {
			t.Errorf("%s: %d %v %s", want, r.Code, r.Header(), r.Body)
		}
		if log := w.log.String(); !strings.Contains(log, "id=mine method=POST route=/api/projects status=403") {
			t.Errorf("%s: the log has %q", want, log)
		}
	}
}

// A proxy on this machine asks by the names that the server was told; a page that made its own name resolve to this
// machine would get the user header too, and is refused with the way out (DNS rebinding).
func TestHostsOfAProxy(t *testing.T) {
	w := newWorld(t, behind(true), func(c *Config) { c.AnyHost, c.Hosts = false, []string{"Proofload.example", "10.0.0.5", "[fd00::1]"} })
	w.invite("bob", "viewer")
	for host, want := range map[string]int{
		"proofload.example": 200, "PROOFLOAD.example:443": 200, "10.0.0.5": 200, "[fd00::1]:7711": 200, "localhost:7711": 200, "127.0.0.1": 200,
		"evil.example": 403, "proofload.example.evil.example": 403, "x.proofload.example": 403, "example": 403, "10.0.0.6": 403, "": 403,
	} {
		r := w.from(proxy, request{method: "GET", path: "/api/session", header: []string{"X-User: bob", "Host: " + host}})
		if r.Code != want || want == 403 && !(strings.Contains(r.Body.String(), `"forbidden_host"`) && strings.Contains(r.Body.String(), "--host")) {
			t.Errorf("%q: %d %s", host, r.Code, r.Body)
		}
	}
}
