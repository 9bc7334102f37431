package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/eventstore"
)

// healthTime bounds one question whether a process is well.
const healthTime = 5 * time.Second

// healthServer tells whether a worker is well.
type healthServer struct {
	listener net.Listener
	server   *http.Server
}

// listenHealth answers /healthz while the process lives, and /readyz while the log can be read and written.
func listenHealth(ctx context.Context, address string, store *eventstore.Store) (*healthServer, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--health: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "alive\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ask, cancel := context.WithTimeout(r.Context(), healthTime/2)
		defer cancel()
		_, err := store.Position(ask)
		if err = errors.Join(err, store.Trouble()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	return &healthServer{l, &http.Server{Handler: mux, ReadHeaderTimeout: healthTime}}, nil
}

// serve answers until the context is done.
func (h *healthServer) serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = h.server.Close() })
	defer stop()
	if err := h.server.Serve(h.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func healthCommand(std streams) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "health [URL]",
		Short: "Ask a server or a worker whether it is ready: exit code 0, or 1 when it is not",
		Long: "Ask the server of the data folder, or another one by its URL, whether it is ready. For containers, which have no other\n" +
			"program to ask with. Without a path in the URL it asks /readyz.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := askHealth(cmd.Context(), data, args, std.out); err != nil {
				_, _ = fmt.Fprintln(std.err, "proofload:", err)
				return exit{exitNotReady}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", defaultData(), "the data folder, whose server is asked")
	return cmd
}

// askHealth asks once and prints the answer; an error says that it is not ready, or that nobody answers.
func askHealth(ctx context.Context, data string, args []string, out io.Writer) error {
	client, address := &http.Client{}, ""
	if len(args) > 0 {
		address = args[0]
	} else {
		server, err := readAddress(data)
		if err != nil {
			return fmt.Errorf("no server runs on %s: %w", data, err)
		}
		if client, err = server.client(); err != nil {
			return err
		}
		address = server.URL
	}
	target, err := url.Parse(address)
	if err != nil {
		return err
	}
	if strings.Trim(target.Path, "/") == "" {
		target.Path = "/readyz"
	}
	return askReady(ctx, client, target.String(), out)
}

func askReady(ctx context.Context, client *http.Client, address string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d: %s", address, response.StatusCode, strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(out, strings.TrimSpace(string(body)))
	return err
}
