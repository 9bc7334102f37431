package http

import (
	"net/http"
	"slices"

	"github.com/swaggest/openapi-go/openapi31"
)

// headerAbout says what a header of an answer means.
var headerAbout = map[string]string{
	headerRequestID:      "The id of the request, that of its own header or a new one; it stands in the log of the server.",
	headerPosition:       "The place of the command's event in the log, decimal digits; ?after= waits for it.",
	"ETag":               "The version, in quotes, for If-Match. Of 412: the one that stands.",
	"Location":           "The path of what was made, or of the run.",
	"Preference-Applied": "respond-async, when the request preferred it.",
	"Cache-Control":      "no-store: the body has a secret.",
	"Set-Cookie":         "The session of a browser, or its end.",
	"Retry-After":        "Seconds until it is worth to try again: of 429 and 503.",
	"WWW-Authenticate":   "Of 401: Bearer.",
}

// versioned are the routes whose answers have the version of a document, beside those that take If-Match.
var versioned = []string{
	"getModel", "getScenario", "getProfile", "getProfileVersion", "getObjectives", "getProject", "getWorkspaceSettings", "getInstanceSettings",
	"postScenario", "postProfile", "postBranch",
}

// sessionPath is that of the routes of a browser's session.
const sessionPath = "/api/session"

// headers of an answer: those that each such answer has, and those that only some have.
func (r Route) headers(status int) (always, some []string) {
	always = []string{headerRequestID}
	if slices.Contains(r.Params, ifMatchParam) || slices.Contains(versioned, r.Name) {
		always = append(always, "ETag")
	}
	if status == http.StatusCreated || status == http.StatusAccepted {
		always = append(always, "Location")
	}
	switch {
	case r.Path == sessionPath && r.isCommand():
		always, some = append(always, "Set-Cookie"), append(some, headerPosition) // of a token that was made or revoked
	case r.isCommand():
		always = append(always, headerPosition)
	}
	switch {
	case r.Name == "postToken":
		always = append(always, "Cache-Control")
	case status == http.StatusAccepted && slices.ContainsFunc(r.Params, func(p Param) bool { return p.Name == "Prefer" }):
		some = append(some, "Preference-Applied")
	}
	return always, some
}

// problemHeaders are those of a refusal.
func (r Route) problemHeaders() (always, some []string) {
	always, some = []string{headerRequestID}, []string{"Retry-After"}
	if r.Role != Anyone || r.Path == sessionPath {
		some = append(some, "WWW-Authenticate")
	}
	if slices.Contains(r.Params, ifMatchParam) {
		some = append(some, "ETag")
	}
	if r.Name == "postRun" { // the run is there, whatever became of it
		some = append(some, "Location", headerPosition)
	}
	return always, some
}

// describeHeaders puts the headers into an answer of the document.
func describeHeaders(response *openapi31.Response, always, some []string) {
	response.Headers = map[string]openapi31.HeaderOrReference{}
	for _, name := range slices.Concat(always, some) {
		h := openapi31.Header{Schema: map[string]any{"type": "string"}}
		h.WithDescription(headerAbout[name])
		if slices.Contains(always, name) {
			h.WithRequired(true)
		}
		response.Headers[name] = openapi31.HeaderOrReference{Header: &h}
	}
}
