package http

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
)

// Role is the least that a member must be to use a route.
type Role string

// Roles, the lowest first. Anyone needs no member at all, Member is any member; what it sees is its own. Viewer,
// Editor and Owner are roles in the workspace of the path, of the path's project, or of the body.
const (
	Anyone        Role = "anyone"
	Member        Role = "member"
	Viewer        Role = domain.RoleViewer
	Editor        Role = domain.RoleEditor
	Owner         Role = domain.RoleOwner
	Administrator Role = "administrator" // of the instance
)

// refusals are the problems of a route that come from its role.
func (r Role) refusals() []string {
	switch r {
	case Anyone:
		return nil
	case Member:
		return words(unauthenticated)
	case Administrator:
		return words(unauthenticated, forbidden)
	default:
		return words(unauthenticated, forbidden, notFound)
	}
}

// Route is a row of the route table.
type Route struct {
	Name    string // one word, the operation id
	Method  string
	Path    string // parameters in braces
	Role    Role
	Summary string
	Params  []Param // of the query and the header; those of the path stand in it
	Body    *Body   // nil: it takes none
	Answers []Answer
	// Refusals are the type words of the problems that are particular to the route, beside those of every route.
	Refusals []string
	handle   handler
}

// handler answers a request or says why not.
type handler func(s *Server, c *gin.Context) error

// Param is a parameter of the query or a header.
type Param struct {
	Name     string
	In       string // query or header
	Type     string // of JSON Schema
	Required bool
	About    string
}

// Body is what a request carries.
type Body struct {
	Type  any
	Limit int64 // bytes
}

// Answer is one way in which a route succeeds.
type Answer struct {
	Status int
	Type   any
	Lines  bool // the body is lines of JSON, each of the type
}

// contentType is that of the body.
func (a Answer) contentType() string {
	if a.Lines {
		return "application/jsonl"
	}
	return "application/json"
}

// Kinds of parameters that several routes take.
var (
	afterParam   = Param{Name: "after", In: "query", Type: "string", About: "A position of Proofload-Position: wait until the read models show it, at most 5 s."}
	branchParam  = Param{Name: "branchId", In: "query", Type: "string", About: "A branch of the model; absent: main."}
	versionParam = Param{Name: "version", In: "query", Type: "integer", About: "A saved version; absent: the newest."}
	cursorParam  = Param{Name: "cursor", In: "query", Type: "string", About: "The nextCursor of the page before."}
	limitParam   = Param{Name: "limit", In: "query", Type: "integer", About: "Entries of a page, 1 to 200; absent: 50."}
	ifMatchParam = Param{Name: "If-Match", In: "header", Type: "string", Required: true, About: `The ETag of the version that was changed; "0" before the first save.`}
	keyParam     = Param{Name: "Idempotency-Key", In: "header", Type: "string", About: "The same key on the same path is the same command: it is done once."}
)

func params(own ...Param) []Param { return append(own, afterParam) }

func list(own ...Param) []Param { return params(append(own, cursorParam, limitParam)...) }

func body(limit int64, of any) *Body { return &Body{Type: of, Limit: limit} }

func answers(status int, of any) []Answer { return []Answer{{Status: status, Type: of}} }

func words(kinds ...kind) []string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.Type
	}
	return words
}

// everywhere are the problems of every route.
var everywhere = words(crossOrigin, forbiddenHost, forbiddenPeer, internalError, unavailable)

// ginPath turns {name} into :name.
func ginPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// paramsIn are the names of the parameters of the query or of those that are headers.
func (r Route) paramsIn(place string) []string {
	var names []string
	for _, p := range r.Params {
		if p.In == place {
			names = append(names, p.Name)
		}
	}
	return names
}

// isCommand says whether the route changes something.
func (r Route) isCommand() bool { return r.Method != http.MethodGet }
