package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lookup finds a variable, as os.LookupEnv does.
type lookup func(name string) (string, bool)

// service is the annotation of commands that run as one: each of their flags is a variable too. Other commands take from
// variables only where the log or the server is: what else they do is asked for each time.
const service = "service"

// placesOfLog are the flags that say where the log or the server is. A command uses one of them; variables are asked in this order.
var placesOfLog = []string{"nats", "server", "data"}

// aboutNATS are the flags that say more about a NATS.
var aboutNATS = []string{"nats-creds", "nats-ca", "replicas"}

// fromEnvironment sets the flags of any command that its command line leaves out.
func fromEnvironment(cmd *cobra.Command, find lookup) error {
	flags := cmd.Flags()
	if _, all := cmd.Annotations[service]; all {
		return flagsFromEnvironment(flags, find, func(string) bool { return true })
	}
	named := flags.Changed("verify") // a backup, which is no log
	for _, name := range placesOfLog {
		named = named || flags.Changed(name)
	}
	for _, name := range placesOfLog {
		if named {
			break
		}
		if err := flagsFromEnvironment(flags, find, func(flag string) bool { return flag == name }); err != nil {
			return err
		}
		named = flags.Changed(name)
	}
	if !flags.Changed("nats") {
		return nil
	}
	return flagsFromEnvironment(flags, find, func(flag string) bool { return slices.Contains(aboutNATS, flag) })
}

// flagsFromEnvironment sets those flags that the command line leaves out from their PROOFLOAD_ variables, or from the files that
// the variables with _FILE behind them name: secrets. A variable that is empty is none.
func flagsFromEnvironment(flags *pflag.FlagSet, find lookup, takes func(flag string) bool) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || !takes(f.Name) {
			return
		}
		name := variableOf(f.Name)
		value, err := valueOf(name, find)
		if err == nil && value != "" && flags.Set(f.Name, value) != nil {
			err = fmt.Errorf("it is no value of --%s", f.Name)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	})
	return failed
}

// valueOf is the value of a variable, or what is in the file that is named beside it; empty: neither is there.
func valueOf(name string, find lookup) (string, error) {
	value, _ := find(name)
	file, _ := find(name + "_FILE")
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("it is set beside %s_FILE", name)
	case file != "":
		return readSecret(file)
	}
	return value, nil
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
