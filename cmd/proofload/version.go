package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/engine"
)

func versionCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "The version of proofload and of its engine",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(io.out, versionText())
			return err
		},
	}
}

// versionText is what version and --version print.
func versionText() string {
	return fmt.Sprintf("proofload %s\nengine %d\n", buildVersion(), engine.Newest)
}

// buildVersion is the module's version and the commit that the binary was built from, as far as Go knows them.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			version += " " + s.Value
		}
	}
	return version
}
