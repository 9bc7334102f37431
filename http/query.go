package http

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// known refuses what a route does not take: a query parameter that its row of the table does not name, one that is
// empty or stands there twice, a header of a command that this command has not, and a body where none is taken.
// What is ignored would look as if it had been done.
func (s *Server) known(r Route) gin.HandlerFunc {
	names := r.paramsIn("query")
	return func(c *gin.Context) {
		err := checkQuery(c.Request.URL.RawQuery, names)
		if err == nil && r.isCommand() {
			err = checkHeaders(c.Request.Header, r.paramsIn("header"))
		}
		if err == nil && r.Body == nil && hasBody(c.Request) {
			err = invalidParam("body", "is not taken here; send none")
		}
		if err != nil {
			s.fail(c, err)
		}
	}
}

func checkQuery(raw string, names []string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return invalidParam("query", "cannot be read: "+err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(names, name) {
			return invalidParam(name, "is no parameter of this route; "+whichThereAre(names))
		}
		if len(query[name]) > 1 {
			return invalidParam(name, "stands in the query more than once")
		}
		if query[name][0] == "" {
			return invalidParam(name, "is empty; give it a value or leave it out")
		}
	}
	return nil
}

// checkHeaders refuses what only some commands have, and a header of the command that has no value.
func checkHeaders(header http.Header, names []string) error {
	for _, p := range []Param{keyParam, ifMatchParam} {
		if len(header.Values(p.Name)) > 0 && !slices.Contains(names, p.Name) {
			return invalidParam(p.Name, "is not taken by this route; leave it out")
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(header.Values(name), func(value string) bool { return strings.TrimSpace(value) == "" }) {
			return invalidParam(name, "is empty; give it a value or leave it out")
		}
	}
	return nil
}

// singular are the headers that a request has once at most. Of two, a proxy may read the one and this server the other.
var singular = []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Origin", "Sec-Fetch-Site"}

// unambiguous refuses requests that two readers would understand in two ways: a header that counts once and stands
// there twice, and an encoded slash, which no id of ours has: as a part of a name or as a border between two.
func (s *Server) unambiguous(c *gin.Context) {
	if strings.Contains(strings.ToLower(c.Request.URL.EscapedPath()), "%2f") {
		s.fail(c, refuse(notFound, "no such route: %s", c.Request.URL.EscapedPath()))
		return
	}
	for _, name := range singular {
		if len(c.Request.Header.Values(name)) > 1 {
			s.fail(c, invalidParam(name, "stands in the request more than once"))
			return
		}
	}
}

func whichThereAre(names []string) string {
	if len(names) == 0 {
		return "it takes none"
	}
	return "there is " + strings.Join(names, ", ")
}

// hasBody says whether a request has a body of a byte or more, or announces one that does not come.
func hasBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > 0
	}
	if body, ok := r.Body.(*timedBody); ok {
		body.hurry()
	}
	n, err := r.Body.Read(make([]byte, 1))
	return n > 0 || err != io.EOF
}
