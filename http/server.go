package http

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Blobs reads documents and results by their SHA-256.
type Blobs interface {
	Blob(ctx context.Context, hash string) ([]byte, error)
}

// Config is what a server works with. All fields but the waits are needed.
type Config struct {
	Commands    *commands.Commands
	Projections *projections.DB
	Projector   *projections.Projector // that follows the stream, in this process
	Blobs       Blobs
	Logger      *slog.Logger
	Now         func() time.Time // dates the log
	Version     string           // of the program, for the OpenAPI document

	// SendLog writes the whole log, events and blobs, as lines of JSON (eventstore/backup). An error before the first line
	// is for the client; behind it the last line says what is wrong.
	SendLog func(ctx context.Context, w io.Writer) error

	WorkspaceID string // of a new project that names none: the one of the first start

	// Hosts are the names of the server. Requests to them and to this machine itself are let in; with AnyHost those to
	// all others too.
	Hosts   []string
	AnyHost bool
	// Proxies are the addresses of the proxies in front of the server, UserHeader is the header in which they
	// name the member; empty: none.
	Proxies    []netip.Prefix
	UserHeader string
	// ProxiesOnly refuses all peers but the proxies and this machine: the server speaks plain HTTP to them.
	ProxiesOnly bool

	ReadWait   time.Duration // how long ?after= waits; 0: 5 s
	RunWait    time.Duration // how long a run request waits for its outcome; 0: 60 s
	BodyWait   time.Duration // how long a body may take to arrive; 0: 30 s
	AnswerWait time.Duration // how long a client may take for each 64 KB of an answer; 0: 30 s
}

// Waits of the page and of spec 3.
const (
	defaultReadWait = 5 * time.Second
	defaultRunWait  = 60 * time.Second
	defaultBodyWait = 30 * time.Second

	// DefaultAnswerWait is also for what HTTP/2 sends beside the answers.
	DefaultAnswerWait = 30 * time.Second
)

// Server answers the requests of the API.
type Server struct {
	Config
	openAPI  func() ([]byte, error) // made when it is first asked for: that takes 80 ms
	authors  sync.Map               // member id -> Author; a name never changes
	origin   *http.CrossOriginProtection
	handler  http.Handler
	progress progressBoard
	codes    codes

	workspaces sync.Map // project id -> id of its workspace

	stopping context.Context // done once Stop was called
	stop     context.CancelFunc
}

// New makes a server. Its handler can be used at once.
func New(config Config) (*Server, error) {
	if config.Commands == nil || config.Projections == nil || config.Projector == nil || config.Blobs == nil || config.SendLog == nil || config.Logger == nil || config.Now == nil {
		return nil, errors.New("http: the configuration of the server is not complete")
	}
	config.ReadWait, config.RunWait = cmp.Or(config.ReadWait, defaultReadWait), cmp.Or(config.RunWait, defaultRunWait)
	config.BodyWait, config.AnswerWait = cmp.Or(config.BodyWait, defaultBodyWait), cmp.Or(config.AnswerWait, DefaultAnswerWait)
	s := &Server{Config: config, origin: http.NewCrossOriginProtection()}
	s.openAPI = sync.OnceValues(func() ([]byte, error) { return openAPIDocument(Routes(), config.Version) })
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.handler = s.limitAnswers(s.limitBodies(s.engine()))
	unlisten, err := config.Commands.ListenProgress("*", "*", func(p domain.RunProgress) { s.progress.hear(p, config.Now()) })
	if err != nil {
		return nil, err
	}
	context.AfterFunc(s.stopping, unlisten)
	return s, nil
}

// Stop makes the requests that wait answer at once: for the outcome of a run with 202, the run goes on. It is for
// net/http's RegisterOnShutdown, or a shutdown would last as long as the longest run.
func (s *Server) Stop() { s.stop() }

// Handler answers all requests.
func (s *Server) Handler() http.Handler { return s.handler }

// engine is the routing, from the table.
func (s *Server) engine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	e.HandleMethodNotAllowed = true
	e.Use(s.identify, s.log, s.recover, s.protect, s.unambiguous)
	for _, r := range Routes() {
		route(e, r.Method, ginPath(r.Path), s.admit(r), s.known(r), s.after(r), s.handle(r.handle))
	}
	for _, p := range webPages {
		route(e, http.MethodGet, p.path, s.handle(p.send))
	}
	e.NoRoute(s.handle(func(_ *Server, c *gin.Context) error {
		return refuse(notFound, "no such route: %s", c.Request.URL.Path)
	}))
	e.NoMethod(s.handle(func(_ *Server, c *gin.Context) error {
		return refuse(methodNotAllowed, "%s takes no %s", c.Request.URL.Path, c.Request.Method)
	}))
	return e
}

// route adds handlers for a method. What answers GET answers HEAD too: net/http leaves the body out.
func route(e *gin.Engine, method, path string, handlers ...gin.HandlerFunc) {
	e.Handle(method, path, handlers...)
	if method == http.MethodGet {
		e.Handle(http.MethodHead, path, handlers...)
	}
}

// handle makes a handler of Gin from one that returns an error.
func (s *Server) handle(h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(s, c); err != nil {
			s.fail(c, err)
		}
	}
}
