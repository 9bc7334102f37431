package http

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Sizes of a page of a list.
const (
	defaultLimit = 50
	maxLimit     = 200
)

const maxIdempotencyKey = 200

// document is a body that was parsed: as it came, in canonical form, and what it says.
type document[T any] struct {
	body  []byte
	raw   []byte
	value T
}

// readDocument reads and parses a body of at most limit bytes.
func readDocument[T any](c *gin.Context, limit int64, parse func([]byte) (T, error)) (document[T], error) {
	body, err := readBody(c, limit)
	if err != nil {
		return document[T]{}, err
	}
	value, err := parse(body)
	if err != nil {
		return document[T]{}, err
	}
	raw, err := domain.Canonical(body)
	return document[T]{body: body, raw: raw, value: value}, err
}

func readBody(c *gin.Context, limit int64) ([]byte, error) {
	if sent := c.GetHeader("Content-Type"); !isJSON(sent) {
		return nil, refuse(unsupportedMediaType, "send the body as application/json in UTF-8, not as %q", sent)
	}
	if coding, plain := contentCoding(c.Request.Header); !plain {
		return nil, refuse(unsupportedMediaType, "send the body as it is, without Content-Encoding %q: this server decodes none", coding)
	}
	announced := c.Request.ContentLength > limit // then it is not waited for, but for what comes at once: a client that sends it reads no answer
	if sent, ok := c.Request.Body.(*timedBody); ok && announced {
		sent.hurry()
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	var over *http.MaxBytesError
	if errors.As(err, &over) || announced {
		return nil, &refusal{kind: bodyTooLarge, limit: limit, detail: "the body has more than " + strconv.FormatInt(limit, 10) + " bytes"}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, invalidParam("body", "did not come to its end in time")
	}
	if err != nil {
		return nil, invalidParam("body", "could not be read to its end")
	}
	return body, nil
}

// isJSON says whether a Content-Type is that of JSON in UTF-8, the one encoding of JSON.
func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && kind == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// contentCoding is what a body is encoded with (RFC 9110, section 8.4), and whether that is nothing.
func contentCoding(h http.Header) (coding string, plain bool) {
	coding = strings.Join(h.Values("Content-Encoding"), ", ")
	for part := range strings.SplitSeq(coding, ",") {
		if name := strings.TrimSpace(part); name != "" && !strings.EqualFold(name, "identity") {
			return coding, false
		}
	}
	return coding, true
}

// members reads a body that is an object with some of the named members, each a text.
func members(code string, body []byte, names ...string) (map[string]string, error) {
	if _, err := domain.Canonical(body); err != nil { // strict: no duplicate, no bad UTF-8
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, invalidMember(code, "", "is not an object")
	}
	texts := map[string]string{}
	for name, value := range fields {
		var text *string
		if !slices.Contains(names, name) {
			return nil, invalidMember(code, name, "is not a member: "+strings.Join(names, ", "))
		}
		if err := json.Unmarshal(value, &text); err != nil || text == nil {
			return nil, invalidMember(code, name, "is not a text")
		}
		texts[name] = *text
	}
	return texts, nil
}

// notEmpty refuses a member that names something and is there without naming it: as if it were absent would be a guess.
func notEmpty(code string, texts map[string]string, names ...string) error {
	for _, name := range names {
		if text, given := texts[name]; given && text == "" {
			return invalidMember(code, name, "is empty; give it a value or leave it out")
		}
	}
	return nil
}

func invalidMember(code, name, message string) error {
	target := ""
	if name != "" {
		target = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return &domain.InvalidError{Issues: []domain.Issue{{Code: code, Target: target, Message: message}}}
}

// meta is what a command carries. The same Idempotency-Key on the same path is the same command; what it asks
// for besides the path must then be the same too.
func (s *Server) meta(c *gin.Context, body []byte) (commands.Meta, error) {
	m := commands.Meta{CommandID: commands.NewCommandID(), Member: caller(c).ID, CorrelationID: c.GetString(keyRequestID)}
	key := c.GetHeader("Idempotency-Key")
	if key == "" {
		return m, nil
	}
	if len(key) > maxIdempotencyKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return m, invalidParam("Idempotency-Key", "has 1 to "+strconv.Itoa(maxIdempotencyKey)+" visible ASCII characters")
	}
	m.CommandID = commands.CommandID(m.Member, c.Request.Method+" "+c.Request.URL.Path, key)
	sum := sha256.Sum256([]byte(branchID(c) + "\n" + string(body)))
	m.BodyHash = hex.EncodeToString(sum[:])
	return m, nil
}

// base is the version that If-Match names: what the client loaded and changed. An ETag that no version has
// gives -1, which is always stale.
func base(c *gin.Context) (int, error) {
	text := c.GetHeader("If-Match")
	if text == "" {
		return 0, refuse(preconditionRequired, `send If-Match with the ETag of the version that was changed; "0" before the first save`)
	}
	inner, ok := strings.CutPrefix(text, `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	if !ok || !closed || strings.Contains(inner, `"`) {
		return 0, invalidParam("If-Match", `is not one ETag, such as "3"`)
	}
	if version, err := wholeNumber(inner); err == nil {
		return version, nil
	}
	return -1, nil
}

// branchID is the branch that the query names; "" is main, which has the id of its project too.
func branchID(c *gin.Context) string {
	if id := c.Query("branchId"); id != projections.BranchMain && id != c.Param(projectParam) {
		return id
	}
	return ""
}

// wholeNumber reads a number as this server writes it: no sign, no leading zero. One thing has one name.
func wholeNumber(text string) (int, error) {
	number, err := wholeNumber64(text)
	return int(number), err
}

func wholeNumber64(text string) (int64, error) {
	number, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err == nil && (number < 0 || strconv.FormatInt(number, 10) != text) {
		err = strconv.ErrSyntax
	}
	return number, err
}

// queryVersion is ?version=; nil: the newest.
func queryVersion(c *gin.Context) (*int, error) {
	text, given := c.GetQuery("version")
	if !given {
		return nil, nil
	}
	version, err := wholeNumber(text)
	if err != nil {
		return nil, invalidParam("version", "is not a version: a whole number from 0")
	}
	return &version, nil
}

// page is ?cursor= and ?limit=.
func page(c *gin.Context) (projections.Page, error) {
	p := projections.Page{Limit: defaultLimit}
	var err error
	if text, given := c.GetQuery("cursor"); given {
		if p.After, err = wholeNumber64(text); err != nil || p.After == 0 {
			return p, invalidParam("cursor", "is not the nextCursor of a page")
		}
	}
	if text, given := c.GetQuery("limit"); given {
		if p.Limit, err = wholeNumber(text); err != nil || p.Limit < 1 || p.Limit > maxLimit {
			return p, invalidParam("limit", "is a whole number from 1 to "+strconv.Itoa(maxLimit))
		}
	}
	return p, nil
}
