package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// folderPatience is how long a command waits for a process that holds the data folder and does not answer: it starts or
// stops, or is another command that has opened the folder.
var folderPatience = 5 * time.Second // tests have less

const folderLook = 50 * time.Millisecond

// probeTime is how long a server may take to say that it is there.
const probeTime = 2 * time.Second

var errNoServer = errors.New("no server runs")

// reach uses the data folder in the way that is right: open, when no process holds it, else ask the server that does.
func (o serverOptions) reach(ctx context.Context, open func() error, ask func(*serverClient) error) error {
	holder, since := 0, time.Now()
	for {
		err := o.openFree(open)
		var locked *eventstore.LockedError
		if !errors.As(err, &locked) {
			return err
		}
		client, asked := o.ask(ctx)
		if asked == nil {
			return ask(client)
		}
		if !errors.Is(asked, errNoServer) {
			return asked
		}
		if locked.Process != holder {
			holder, since = locked.Process, time.Now()
		}
		if time.Since(since) > folderPatience {
			return fmt.Errorf("%w; it did not answer within %v", err, folderPatience)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(folderLook):
		}
	}
}

// openFree opens a folder with a log that no process holds. A folder without one belongs to a server whose log is
// elsewhere, or to none.
func (o serverOptions) openFree(open func() error) error {
	_, err := os.Stat(filepath.Join(o.data, "jetstream"))
	if err == nil {
		return open()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if held := eventstore.Held(o.data); held != nil {
		return held
	}
	return fmt.Errorf("%w on %s: name its folder with --data or its address with --server", errNoServer, o.data)
}

// ask reads where the server of the folder answers, and the token for it. Nobody answers there: errNoServer.
func (o serverOptions) ask(ctx context.Context) (*serverClient, error) {
	address, err := readAddress(o.data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoServer
	}
	if err != nil {
		return nil, err
	}
	client, err := address.client()
	if err != nil {
		return nil, err
	}
	if err := probe(ctx, client, address.URL); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoServer, err)
	}
	token := os.Getenv(tokenVariable)
	if token == "" {
		data, err := os.ReadFile(filepath.Join(o.data, tokenFile))
		if err != nil {
			return nil, fmt.Errorf("no token: set %s: %w", tokenVariable, err)
		}
		token = strings.TrimSpace(string(data))
	}
	return &serverClient{url: address.URL, token: token, http: client, close: func() error { return nil }}, nil
}

// probe asks for any answer, before a token is sent.
func probe(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
