package http

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
)

// RFC 7240, section 2: parameters, values and other preferences take nothing away from respond-async; what is no list of
// preferences is refused.
func TestPrefer(t *testing.T) {
	for lines, want := range map[[2]string]string{
		{"respond-async"}: "async", {"Respond-Async"}: "async", {"wait=9, respond-async"}: "async", {"respond-async,wait=9"}: "async",
		{"respond-async;foo=1"}: "async", {"respond-async ; foo"}: "async", {"respond-async; foo = \"a,b;c\""}: "async", {"respond-async;"}: "async",
		{"respond-async=\"\""}: "async", {", ,respond-async, "}: "async", {"wait=9", "respond-async; x=1"}: "async",
		{"foo=\"a, respond-async\""}: "", {"foo; respond-async"}: "", {"wait=9"}: "", {"respond-asynchronously"}: "", {"respond-async=no"}: "",
		{"foo=\"a\\\"\", respond-async"}: "async",
		{"respond-async=\"a"}:            "refused", {"respond async"}: "refused", {"(respond-async)"}: "refused", {"respond-async;=1"}: "refused", {"wait=9", "a b"}: "refused",
	} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = &http.Request{Header: http.Header{"Prefer": lines[:]}}
		async, err := prefersAsync(c)
		if got := map[bool]string{true: "async"}[async]; got != want && (want != "refused" || err == nil) || (err != nil) != (want == "refused") {
			t.Errorf("%q: %q, %v, want %q", lines, got, err, want)
		}
	}
}
