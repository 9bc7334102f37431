package http

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// known refuses what a route does not take: a query parameter that its row of the table does not name, one that
// stands there twice, and a body of a POST that takes none. What is ignored would look as if it had been done.
func (s *Server) known(r Route) gin.HandlerFunc {
	var names []string
	for _, p := range r.Params {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return func(c *gin.Context) {
		err := checkQuery(c.Request.URL.RawQuery, names)
		if err == nil && r.Method == http.MethodPost && r.Body == nil && hasBody(c.Request) {
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
	}
	return nil
}

func whichThereAre(names []string) string {
	if len(names) == 0 {
		return "it takes none"
	}
	return "there is " + strings.Join(names, ", ")
}

// hasBody says whether a request has a body of a byte or more.
func hasBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > 0
	}
	n, _ := r.Body.Read(make([]byte, 1))
	return n > 0
}
