package http

import (
	"embed"
	"net/http"

	"github.com/gin-gonic/gin"
)

//go:embed web
var web embed.FS

// webPage is a file that a browser loads without a token. It is not in the route table: it holds no data.
type webPage struct{ path, file, contentType string }

var webPages = []webPage{
	{"/login", "web/login.html", "text/html; charset=utf-8"},
	{"/login.js", "web/login.js", "text/javascript; charset=utf-8"},
	{"/login.css", "web/login.css", "text/css; charset=utf-8"},
}

// contentPolicy lets a page load what this server sends, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (p webPage) send(_ *Server, c *gin.Context) error {
	data, err := web.ReadFile(p.file)
	if err != nil {
		return err
	}
	c.Header("Content-Security-Policy", contentPolicy)
	c.Header("Referrer-Policy", "no-referrer")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, p.contentType, data)
	return nil
}
