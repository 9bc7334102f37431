package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
)

func demoCommand(io streams) *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a worked example (a web shop) through the whole service in a temporary folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo(cmd.Context(), once, io)
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "end after the run instead of serving on")
	return cmd
}

// demo starts a node in a temporary folder, saves the example by the commands, requests a run, waits until the
// worker's outcome is in the read models, and prints it.
func demo(ctx context.Context, once bool, io streams) (err error) {
	dir, err := os.MkdirTemp("", "proofload-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	n, err := startNode(ctx, nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- n.serve(ctx) }()
	runErr := demoRun(ctx, n, once, io)
	if once || runErr != nil {
		stop()
	}
	err = errors.Join(runErr, <-served, n.close())
	stop()
	return err
}

func demoRun(ctx context.Context, n *node, once bool, io streams) error {
	projectID, run, err := runExample(ctx, n)
	if err != nil {
		return err
	}
	bundle, result, err := storedResult(ctx, n, run)
	if err != nil {
		return err
	}
	writeResult(io.out, title(bundle), result)
	if !once {
		path := "/api/projects/" + projectID + "/stress/runs/" + run.ID
		_, _ = fmt.Fprintf(io.out, "\nThe run, in a browser: %s\n", n.loginLink(path))
		_, _ = fmt.Fprintf(io.out, "The run, by curl:      curl -H \"Authorization: Bearer %s\" %s%s\n", n.token, n.url(), path)
		_, _ = fmt.Fprintln(io.out, "The API goes on serving; Ctrl-C stops it and removes its temporary folder.")
	}
	return nil
}
