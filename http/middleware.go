package http

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	headerRequestID = "X-Request-Id"
	keyRequestID    = "requestId"
	maxRequestID    = 64
)

// protect keeps other sites out: a page in the same browser must not write here (cross-origin), nor reach the
// server by a name that it made resolve to this machine (DNS rebinding).
func (s *Server) protect(c *gin.Context) {
	if err := s.foreign(c.Request); err != nil {
		s.fail(c, err)
	}
}

// foreign says why a request is not for this server, before anybody asks who sends it.
func (s *Server) foreign(r *http.Request) error {
	if peer, ok := peerOf(r); s.ProxiesOnly && !s.fromProxy(r) && !(ok && peer.IsLoopback()) {
		return refuse(forbiddenPeer, "this server answers to its proxy only: it does not encrypt")
	}
	if !(s.AnyHost && !atDoor(r)) && !s.answersTo(r.Host) {
		return refuse(forbiddenHost, "this server answers to localhost, loopback addresses and the hosts of --host only; "+
			"start it with --host and the name that the Host header has, where that is a name of yours")
	}
	if s.origin.Check(r) != nil {
		return refuse(crossOrigin, "the request comes from a page of another site")
	}
	return nil
}

// answersTo says whether a Host header names this machine itself or one of the hosts of the server.
func (s *Server) answersTo(hostport string) bool {
	host := hostName(hostport)
	if host == "localhost" || slices.ContainsFunc(s.Hosts, func(own string) bool { return hostName(own) == host }) {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// hostName is a Host header without its port, in lower case.
func hostName(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// identify gives the request an id: the client's own when it is a plain word, so that logs can be joined.
func (s *Server) identify(c *gin.Context) {
	id := c.GetHeader(headerRequestID)
	if !isWord(id) {
		id = strings.ToLower(rand.Text())
	}
	c.Set(keyRequestID, id)
	c.Header(headerRequestID, id)
}

func isWord(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= maxRequestID && strings.Trim(id, letters) == ""
}

// log writes a line for each request. It names the route and no value that came in: no query, header or body.
func (s *Server) log(c *gin.Context) {
	start := s.Now()
	c.Next()
	s.Logger.LogAttrs(c.Request.Context(), slog.LevelInfo, "request",
		slog.String("id", c.GetString(keyRequestID)), slog.String("method", c.Request.Method),
		slog.String("route", c.FullPath()), slog.Int("status", c.Writer.Status()),
		slog.Int("bytes", max(c.Writer.Size(), 0)), slog.Duration("took", s.Now().Sub(start)), slog.String("member", caller(c).ID))
}

// recover turns a panic, which is a bug of ours, into a 500 and keeps the process.
func (s *Server) recover(c *gin.Context) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		s.Logger.Error("panic", "id", c.GetString(keyRequestID), "route", c.FullPath(), "reason", reason, "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			writeProblem(c.Writer, internalError.problem(""))
		}
		c.Abort()
	}()
	c.Next()
}

// behind refuses to read a position that the read models do not show in time.
func (s *Server) behind(position uint64) error {
	return &refusal{
		kind: projectionBehind, retryAfter: s.ReadWait,
		detail: fmt.Sprintf("the read models show position %d and not yet %d; the same request may be sent again", s.Projections.Status().Position, position),
	}
}

// after waits until the read models show the position that the client names. A route for anyone waits for nobody.
func (s *Server) after(r Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		text, given := c.GetQuery("after")
		if !given || r.Role == Anyone {
			return
		}
		position, err := strconv.ParseUint(text, 10, 64)
		if err != nil || strconv.FormatUint(position, 10) != text {
			err = invalidParam("after", "is not a position: decimal digits, as in the header "+headerPosition)
		} else {
			err = s.waitFor(c, position)
		}
		if err != nil {
			s.fail(c, err)
		}
	}
}

// waitFor waits for a position for at most ReadWait.
func (s *Server) waitFor(c *gin.Context, position uint64) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), s.ReadWait)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	err := s.Projections.WaitFor(ctx, position)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return s.behind(position)
	case errors.Is(err, context.Canceled) && s.stopping.Err() != nil:
		return &refusal{kind: unavailable, detail: "the server stops; the same request may be sent again", retryAfter: time.Second}
	case errors.Is(err, context.Canceled): // without the position, which is of the query
		return context.Canceled
	}
	return err
}
