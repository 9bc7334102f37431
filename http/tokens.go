package http

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Token is a token in a list. Its text is stored nowhere.
type Token struct {
	ID        string     `json:"id"`
	Member    Author     `json:"member"`
	Name      string     `json:"name"`
	IssuedAt  time.Time  `json:"issuedAt"`
	IssuedBy  Author     `json:"issuedBy"`
	ExpiresAt *time.Time `json:"expiresAt"` // null: never
}

// NewToken is the body that issues a token.
type NewToken struct {
	Member    string     `json:"member,omitempty"` // the name of the member; absent: who asks
	Name      string     `json:"name,omitempty"`   // what it is for
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// IssuedToken is a new token. Token is its text, which is shown this once: a request that is sent again is
// answered without it.
type IssuedToken struct {
	ID    string `json:"id"`
	Token string `json:"token,omitempty"`
}

// memberNamed is the member of a name, for those who may act on it: the member itself and the administrator.
func (s *Server) memberNamed(c *gin.Context, name string) (domain.Member, error) {
	who := caller(c)
	if name == "" || commands.SameName(name, who.Name) {
		return who, nil
	}
	if !who.Administrator {
		return domain.Member{}, refuse(forbidden, "the tokens of another member are the administrator's to see and to issue")
	}
	instance, err := s.Commands.Instance(c.Request.Context())
	if err != nil {
		return domain.Member{}, err
	}
	member, ok := commands.FindMember(instance, name)
	if !ok {
		return domain.Member{}, refuse(notFound, "no member has the name %q", name)
	}
	return member, nil
}

func (s *Server) getTokens(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	member, err := s.memberNamed(c, c.Query("member"))
	if err != nil {
		return err
	}
	rows, err := s.Projections.Tokens(c.Request.Context(), member.ID, p)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, listOf(rows, func(row projections.Token) Token {
		return Token{
			ID: row.ID, Member: Author{ID: member.ID, Name: member.Name}, Name: row.Name, IssuedAt: row.IssuedAt.Time,
			IssuedBy: s.author(c, row.IssuedBy), ExpiresAt: instant(row.ExpiresAt),
		}
	}))
}

func (s *Server) postToken(c *gin.Context) error {
	body, err := readBody(c, maxSmallBody)
	if err != nil {
		return err
	}
	texts, err := members(domain.CodeInvalidToken, body, "member", "name", "expiresAt")
	if err != nil {
		return err
	}
	if err := notEmpty(domain.CodeInvalidToken, texts, "member"); err != nil {
		return err
	}
	cmd := commands.IssueToken{Name: texts["name"]}
	if text, given := texts["expiresAt"]; given {
		cmd.ExpiresAt = new(time.Time)
		if err := cmd.ExpiresAt.UnmarshalText([]byte(text)); err != nil { // stricter than time.Parse
			return invalidMember(domain.CodeInvalidToken, "expiresAt", "is not a time as in 2027-01-31T12:00:00Z")
		}
	}
	member, err := s.memberNamed(c, texts["member"])
	if err != nil {
		return err
	}
	cmd.MemberID = member.ID
	if cmd.Meta, err = s.meta(c, body); err != nil {
		return err
	}
	issued, err := s.Commands.IssueToken(c.Request.Context(), cmd)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")
	return answerDone(c, issued.Answer, "/api/tokens/"+issued.ID, IssuedToken{ID: issued.ID, Token: issued.Text})
}

func (s *Server) deleteToken(c *gin.Context) error {
	return s.deletion(c, func(m commands.Meta) (commands.Answer, error) {
		cmd := commands.RevokeToken{Meta: m, TokenID: c.Param("tokenId"), Owner: caller(c).ID}
		if caller(c).Administrator {
			cmd.Owner = ""
		}
		return s.Commands.RevokeToken(c.Request.Context(), cmd)
	})
}

// deleteTokens revokes all tokens of a member, also the one that asks.
func (s *Server) deleteTokens(c *gin.Context) error {
	member, err := s.memberNamed(c, c.Query("member"))
	if err != nil {
		return err
	}
	meta, err := s.meta(c, []byte(member.ID)) // the path does not name the member
	if err != nil {
		return err
	}
	done, err := s.Commands.RevokeTokens(c.Request.Context(), commands.RevokeTokens{Meta: meta, MemberID: member.ID})
	if err != nil {
		return err
	}
	return answerGone(c, done)
}
