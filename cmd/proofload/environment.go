package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsFromEnvironment sets each flag that the command line leaves out from its PROOFLOAD_ variable, or from the file that
// the variable with _FILE behind it names: a secret.
func flagsFromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			return
		}
		name := variableOf(f.Name)
		value, set := lookup(name)
		file, inFile := lookup(name + "_FILE")
		var err error
		switch {
		case set && inFile:
			err = fmt.Errorf("it is set beside %s_FILE", name)
		case inFile:
			value, err = readSecret(file)
		case !set:
			return
		}
		if err == nil && flags.Set(f.Name, value) != nil {
			err = fmt.Errorf("it is no value of --%s", f.Name)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	})
	return failed
}

// fromEnvironment is the PreRunE of a command that runs as a service.
func fromEnvironment(cmd *cobra.Command, _ []string) error {
	return flagsFromEnvironment(cmd.Flags(), os.LookupEnv)
}

// logFromEnvironment is the PreRunE of a command that copies a log: on a machine of a cluster the variables of serve name it.
// A folder or a server that the command line names goes before them.
func logFromEnvironment(cmd *cobra.Command, _ []string) error {
	for _, other := range []string{"data", "server", "verify"} {
		if cmd.Flags().Changed(other) {
			return nil
		}
	}
	return natsFromEnvironment(cmd.Flags(), os.LookupEnv)
}

// natsFromEnvironment sets the flags of natsOptions when a NATS is named.
func natsFromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	some := func(names ...string) *pflag.FlagSet {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		for _, name := range names {
			set.AddFlag(flags.Lookup(name))
		}
		return set
	}
	if err := flagsFromEnvironment(some("nats"), lookup); err != nil || !flags.Changed("nats") {
		return err
	}
	if flags.Lookup("replicas") == nil {
		return flagsFromEnvironment(some("nats-creds", "nats-ca"), lookup)
	}
	return flagsFromEnvironment(some("nats-creds", "nats-ca", "replicas"), lookup)
}

// variableOf is the variable that stands for a flag.
func variableOf(flag string) string {
	return "PROOFLOAD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readSecret reads a file without the newline at its end.
func readSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}
