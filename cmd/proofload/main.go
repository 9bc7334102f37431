// Command proofload tells which part of an architecture gives way first, before production does: it runs a
// model of the architecture under a stress profile in virtual time, as a server with an event log and read
// models or, for one bundle, without one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes (docs/reference/command-line.md).
const (
	exitOK          = 0
	exitBroken      = 1 // an objective is broken
	exitNotReady    = 1 // health: it is not ready
	exitRefused     = 2 // the run is refused, with the issues
	exitError       = 3 // usage, files, errors of ours
	exitInterrupted = 130
)

// exit is an error that has been reported already; only its code is left to say.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// run is main with its surroundings given, so that tests can call it.
func run(ctx context.Context, args []string, io streams) int {
	out := &checkedWriter{Writer: io.out}
	io.in, io.out = interruptible{ctx, io.in}, out
	started := false
	root := rootCommand(io)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch {
		case cmd.HasSubCommands():
			refuseUnknown(cmd)
		case cmd.Name() == "help":
			cmd.Args = aCommand
		}
	}
	prepare := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		started = true
		return prepare(cmd, args)
	}
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	code := exitCode(ctx, err, io.err)
	if err != nil && !started {
		_, _ = fmt.Fprintf(io.err, "See %s --help.\n", cmd.CommandPath())
	}
	return code
}

func rootCommand(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "proofload",
		Short:         "Which part of your architecture gives way first, and from which inputs that answer came",
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return fromEnvironment(cmd, os.LookupEnv)
		},
	}
	root.SetVersionTemplate("{{.Version}}")
	root.AddCommand(
		serveCommand(io), workerCommand(io), healthCommand(io), demoCommand(io), runCommand(io), checkCommand(io), compareCommand(io), initCommand(io),
		schemaCommand(io), tokenCommand(io), projectionsCommand(io), eventsCommand(io), backupCommand(io), restoreCommand(io),
		versionCommand(io),
	)
	return root
}

// refuseUnknown makes a command that only groups others refuse a word that names none of them. Cobra does so at the
// root only.
func refuseUnknown(group *cobra.Command) {
	group.SuggestionsMinimumDistance = 2
	group.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := ""
		if near := group.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "\n\nDid you mean this?\n\t" + strings.Join(near, "\n\t") + "\n"
		}
		return fmt.Errorf("unknown command %q for %q%s", args[0], group.CommandPath(), hint)
	}
	group.RunE = func(*cobra.Command, []string) error { return group.Help() }
}

// aCommand asks for the words of a command. Cobra prints its usage for others, and that all is well.
func aCommand(help *cobra.Command, args []string) error {
	found, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
	}
	return err
}

// arguments asks for these arguments, no more and no less.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return fmt.Errorf("%q is one argument too many", args[len(names)])
		}
		if len(args) < len(names) {
			return fmt.Errorf("%s is missing", names[len(args)])
		}
		return nil
	}
}

func exitCode(ctx context.Context, err error, stderr io.Writer) int {
	var done exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &done):
		return done.code
	case ctx.Err() != nil:
		_, _ = fmt.Fprintln(stderr, "proofload: interrupted")
		return exitInterrupted
	}
	_, _ = fmt.Fprintln(stderr, "proofload:", err)
	return exitError
}
