package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// parsed runs a command up to where its work would begin, and gives its flags.
func parsed(t *testing.T, args ...string) (flags *pflag.FlagSet, err error) {
	t.Helper()
	root := rootCommand(streams{})
	eachCommand(root, func(c *cobra.Command) {
		c.Args = nil
		c.RunE = func(cmd *cobra.Command, _ []string) error {
			flags = cmd.Flags()
			return nil
		}
	})
	root.SetArgs(args)
	return flags, root.ExecuteContext(t.Context())
}

// eachCommand visits the commands that do something.
func eachCommand(root *cobra.Command, do func(*cobra.Command)) {
	for _, c := range root.Commands() {
		eachCommand(c, do)
	}
	if root.HasParent() && !root.HasSubCommands() {
		do(root)
	}
}

// valueFor is a value that a flag does not have by itself.
func valueFor(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "2"
	case "bool":
		return "true"
	}
	return "given"
}

// Where the log or the server is can be said to every command in a variable, or in a file that a variable names; and to what
// runs as a service everything can. The page says which variables there are.
func TestVariablesOfAllCommands(t *testing.T) {
	page := readPage(t, "docs/reference/command-line.md").prose
	place := []string{"data", "server", "nats", "nats-creds", "nats-ca", "replicas"}
	found := 0
	eachCommand(rootCommand(streams{}), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		service := slices.Contains([]string{"serve", "worker"}, c.Name())
		c.InheritedFlags() // adds them to Flags
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || !service && !slices.Contains(place, f.Name) {
				return
			}
			found++
			variable := "PROOFLOAD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if !strings.Contains(page, "`"+variable+"`") {
				t.Errorf("docs/reference/command-line.md does not name %s of %s", variable, c.CommandPath())
			}
			t.Run(strings.Join(append(path, f.Name), "_"), func(t *testing.T) { checkVariable(t, path, f.Name, variable, valueFor(f)) })
		})
	})
	if found < 40 {
		t.Errorf("%d flags were found", found)
	}
}

// checkVariable gives a flag by its variable, and by a file.
func checkVariable(t *testing.T, path []string, flag, variable, value string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "value")
	must(t, os.WriteFile(file, []byte(value+"\n"), 0o600))
	if flag != "nats" && (strings.HasPrefix(flag, "nats") || flag == "replicas") {
		t.Setenv("PROOFLOAD_NATS", "nats://somewhere") // of which it says more
	}
	for name, text := range map[string]string{variable: value, variable + "_FILE": file} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, text)
			if flags, err := parsed(t, path...); err != nil || strings.Trim(flags.Lookup(flag).Value.String(), "[]") != value {
				t.Errorf("it is not taken: %v", err)
			}
		})
	}
}

// A place that the command line names goes before all variables; of these NATS goes first, then a server, then a folder. What
// runs as a service needs several.
func TestPlaceOfTheLog(t *testing.T) {
	for name, value := range map[string]string{"NATS": "nats://n", "NATS_CREDS": "creds", "REPLICAS": "2", "SERVER": "http://s", "DATA": "folder"} {
		t.Setenv("PROOFLOAD_"+name, value)
	}
	for _, c := range []struct{ args, want string }{
		{"backup b", "nats=nats://n nats-creds=creds"},
		{"backup b --nats other", "nats=other nats-creds=creds"},
		{"backup b --server other", "server=other"},
		{"backup b --data other", "data=other"},
		{"backup --verify b", "verify=true"},
		{"restore b", "nats=nats://n nats-creds=creds replicas=2"},
		{"restore b --data other", "data=other"},
		{"events", "server=http://s"},
		{"events --data other", "data=other"},
		{"token list", "server=http://s"},
		{"token admin", "nats=nats://n nats-creds=creds replicas=2"},
		{"projections rebuild --server other", "server=other"},
		{"health", "data=folder"},
		{"serve --data other", "data=other nats=nats://n nats-creds=creds replicas=2"},
		{"worker", "nats=nats://n nats-creds=creds"},
		{"version", ""},
	} {
		flags, err := parsed(t, strings.Fields(c.args)...)
		must(t, err)
		var got []string
		flags.Visit(func(f *pflag.Flag) { got = append(got, f.Name+"="+f.Value.String()) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.args, got, c.want)
		}
	}
}
