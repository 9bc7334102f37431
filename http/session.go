package http

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// codeTime is how long the code of a log-in link can be used.
const codeTime = time.Hour

// Session says who is logged in.
type Session struct {
	Member        Author `json:"member"`
	Administrator bool   `json:"administrator"` // of the instance
}

// NewSession is the body that logs a browser in: with a token, or with the code of a log-in link.
type NewSession struct {
	Token string `json:"token,omitempty"`
	Code  string `json:"code,omitempty"`
}

// codes are those of log-in links, by their SHA-256. They live in the memory of the process that printed them.
type codes struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]openCode
}

type openCode struct {
	memberID string
	expires  time.Time
}

// LoginCode makes a code that logs one browser in as a member, once and within an hour.
func (s *Server) LoginCode(memberID string) string {
	code := rand.Text() + rand.Text()
	s.codes.mu.Lock()
	defer s.codes.mu.Unlock()
	if s.codes.open == nil {
		s.codes.open = map[[sha256.Size]byte]openCode{}
	}
	s.codes.open[sha256.Sum256([]byte(code))] = openCode{memberID, s.Now().Add(codeTime)}
	return code
}

// take uses a code up.
func (s *Server) take(code string) (memberID string, ok bool) {
	hash := sha256.Sum256([]byte(code))
	s.codes.mu.Lock()
	defer s.codes.mu.Unlock()
	found, ok := s.codes.open[hash]
	delete(s.codes.open, hash)
	return found.memberID, ok && s.Now().Before(found.expires)
}

// cookieName has the port, because browsers give the cookies of a host to all its ports.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			return "proofload-session-" + strconv.FormatUint(n, 10)
		}
	}
	return "proofload-session"
}

// postSession puts a token into a cookie that scripts cannot read and other sites cannot send.
func (s *Server) postSession(c *gin.Context) error {
	body, err := readBody(c, maxSmallBody)
	if err != nil {
		return err
	}
	texts, err := members(domain.CodeInvalidToken, body, "token", "code")
	if err != nil {
		return err
	}
	token, err := s.sessionToken(c, texts)
	if err != nil {
		return err
	}
	who, err := s.Commands.Authenticate(c.Request.Context(), token)
	if errors.Is(err, domain.ErrUnauthenticated) {
		return refuse(unauthenticated, "the token is revoked, expired or unknown; the administrator issues others: proofload token issue --member NAME")
	}
	if err != nil {
		return err
	}
	s.setCookie(c, token, int(commands.SessionTime.Seconds()))
	return answer(c, http.StatusOK, sessionOf(who))
}

// sessionToken is the token that the body has, or gets for its code.
func (s *Server) sessionToken(c *gin.Context, texts map[string]string) (string, error) {
	code, link := texts["code"]
	token, typed := texts["token"]
	switch {
	case link == typed:
		return "", invalidMember(domain.CodeInvalidToken, "", "has a token or the code of a log-in link: one of the two")
	case link:
		return s.exchange(c, code)
	}
	return token, nil
}

// exchange gives a token of the member whom a log-in link is for.
func (s *Server) exchange(c *gin.Context, code string) (string, error) {
	memberID, ok := s.take(code)
	if !ok {
		return "", refuse(unauthenticated, "the log-in link was used, is older than an hour, or is of a process that has ended: a link works once. "+
			"Start the server in a terminal for another one, or log in with a token")
	}
	meta := commands.Meta{Member: memberID, CorrelationID: c.GetString(keyRequestID)}
	issued, err := s.Commands.OpenSession(c.Request.Context(), meta, memberID)
	if err == nil {
		c.Header(headerPosition, strconv.FormatUint(issued.Position, 10))
	}
	return issued.Text, err
}

func (s *Server) setCookie(c *gin.Context, token string, maxAge int) {
	secure := c.Request.TLS != nil || s.fromProxy(c.Request) && c.GetHeader("X-Forwarded-Proto") == "https"
	http.SetCookie(c.Writer, &http.Cookie{
		Name: cookieName(c.Request), Value: token, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure,
	})
}

func sessionOf(who domain.Member) Session {
	return Session{Member: Author{ID: who.ID, Name: who.Name}, Administrator: who.Administrator}
}

func (s *Server) getSession(c *gin.Context) error {
	return answer(c, http.StatusOK, sessionOf(caller(c)))
}

// deleteSession logs the browser out. A token that was made for the browser ends with it.
func (s *Server) deleteSession(c *gin.Context) error {
	if cookie, err := c.Request.Cookie(cookieName(c.Request)); err == nil {
		if err := s.endSession(c, cookie.Value); err != nil {
			return err
		}
	}
	s.setCookie(c, "", -1)
	c.Status(http.StatusNoContent)
	return nil
}

func (s *Server) endSession(c *gin.Context, token string) error {
	t, err := s.Commands.TokenOf(c.Request.Context(), token)
	switch {
	case errors.Is(err, domain.ErrUnauthenticated): // it is gone already
		return nil
	case err != nil:
		return err
	case t.Name != domain.SessionToken: // one that is used elsewhere too
		return nil
	}
	meta, err := s.meta(c, nil)
	if err != nil {
		return err
	}
	done, err := s.Commands.RevokeToken(c.Request.Context(), commands.RevokeToken{Meta: meta, TokenID: t.ID, Owner: t.MemberID})
	if err == nil {
		c.Header(headerPosition, strconv.FormatUint(done.Position, 10))
	}
	return err
}
