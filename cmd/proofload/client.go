package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	api "github.com/proofload/proofload/http"
)

// tokenVariable holds the token with which the command line speaks to a server.
const tokenVariable = "PROOFLOAD_TOKEN"

// catchUpTime is how long a command waits for the read models of a folder that it opens: they may have to be made anew.
const catchUpTime = 2 * time.Minute

// serverOptions say which server a command speaks to.
type serverOptions struct{ data, server string }

func (o *serverOptions) flags(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&o.data, "data", defaultData(), "the data folder, whose server is asked; without one the folder is opened")
	cmd.PersistentFlags().StringVar(&o.server, "server", "", "URL of the server to ask; its token is in "+tokenVariable)
}

// serverClient sends requests to a server as a member.
type serverClient struct {
	url, token string
	http       *http.Client
	close      func() error
}

// connect reaches the server of --server, or the one that holds the data folder. A folder that no process holds is
// opened here, without an engine: nothing is run on the way.
func (o serverOptions) connect(ctx context.Context) (*serverClient, error) {
	if o.server != "" {
		token := os.Getenv(tokenVariable)
		if token == "" {
			return nil, errors.New("--server needs a token in " + tokenVariable)
		}
		return &serverClient{url: strings.TrimSuffix(o.server, "/"), token: token, http: &http.Client{}, close: func() error { return nil }}, nil
	}
	var client *serverClient
	err := o.reach(ctx, func() (err error) {
		client, err = o.open(ctx)
		return err
	}, func(asked *serverClient) error {
		client = asked
		return nil
	})
	return client, err
}

// open serves the folder in this process for as long as the command takes.
func (o serverOptions) open(ctx context.Context) (*serverClient, error) {
	n, err := startNode(ctx, nodeOptions{
		dir: o.data, listenOptions: listenOptions{address: "127.0.0.1:0"}, noEngine: true, unnamed: true, logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- n.serve(serving) }()
	client := &serverClient{url: n.url(), token: cmp.Or(os.Getenv(tokenVariable), n.token), http: &http.Client{}, close: func() error {
		stop()
		return errors.Join(<-served, n.close())
	}}
	if err := n.caughtUp(ctx); err != nil {
		return nil, errors.Join(err, client.close())
	}
	return client, nil
}

// caughtUp waits until the read models show the whole log, or have halted: then the requests say why.
func (n *node) caughtUp(ctx context.Context) error {
	position, err := n.store.Position(ctx)
	if err != nil {
		return err
	}
	for until := time.Now().Add(catchUpTime); time.Now().Before(until) && n.projections.Status().Trouble == nil; {
		look, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		err = n.projections.WaitFor(look, position.Last)
		cancel()
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// call sends a request; out is filled from the answer unless it is nil. After a command, the read models show it.
func (s *serverClient) call(ctx context.Context, method, path string, body, out any) error {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.http.Do(request)
	if err != nil {
		return s.brokenOff(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return s.brokenOff(err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return refusedBy(s.url, response.StatusCode, data)
	}
	if position := response.Header.Get("Proofload-Position"); position != "" {
		_ = s.call(ctx, http.MethodGet, "/api/session?after="+position, nil, nil) // it only waits; the token may be revoked now
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

// brokenOff says so of a connection that ended before the answer was there.
func (s *serverClient) brokenOff(err error) error {
	for _, kind := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET} {
		if errors.Is(err, kind) {
			return fmt.Errorf("the server %s ended, or broke off, before it had answered; what was asked for may be done or not: %w", s.url, err)
		}
	}
	return err
}

// stream sends a request whose answer is read while it comes.
func (s *serverClient) stream(ctx context.Context, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusBadRequest {
		return response.Body, nil
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return nil, errors.Join(refusedBy(s.url, response.StatusCode, data), err, response.Body.Close())
}

// answerError is the answer of a server that refuses a request.
type answerError struct {
	status int
	text   string
}

func (e *answerError) Error() string { return e.text }

// refusedBy says in words why a server refused a request.
func refusedBy(url string, status int, data []byte) error {
	var problem api.Problem
	if err := json.Unmarshal(data, &problem, jsontext.AllowInvalidUTF8(true)); err != nil || problem.Title == "" {
		return &answerError{status, fmt.Sprintf("%s answers %d", url, status)}
	}
	return &answerError{status, fmt.Sprintf("%s: %s (%d %s)", problem.Title, problem.Detail, status, problem.Type)}
}
