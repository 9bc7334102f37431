package http

import (
	"regexp"
	"strings"

	"github.com/gin-gonic/gin"
)

const preferAsync = "respond-async"

// A preference as RFC 7240, section 2, has it: a token, perhaps with a value, and parameters. What stands before it is the
// comma of a list, also of one with empty places.
var preference = func() *regexp.Regexp {
	const (
		token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
		value = `(?:[ \t]*=[ \t]*(` + token + `|"(?:[^"\\]|\\.)*")?)?`
	)
	return regexp.MustCompile(`^[ \t,]*(` + token + `)` + value + `(?:[ \t]*;[ \t]*(?:` + token + value + `)?)*[ \t]*(?:,|$)`)
}()

// prefersAsync says whether a Prefer header has respond-async, with whatever parameters. It refuses a header that is none:
// whoever wrote it does not wait for what it means. Preferences that are not known here are ignored, as RFC 7240 asks.
func prefersAsync(c *gin.Context) (bool, error) {
	async := false
	for _, line := range c.Request.Header.Values("Prefer") {
		for rest := line; strings.Trim(rest, " \t,") != ""; {
			found := preference.FindStringSubmatch(rest)
			if found == nil {
				return false, invalidParam("Prefer", "is not a list of preferences as in RFC 7240, such as "+preferAsync)
			}
			async = async || strings.EqualFold(found[1], preferAsync) && strings.Trim(found[2], `"`) == ""
			rest = rest[len(found[0]):]
		}
	}
	return async, nil
}
