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
			build, revision := "(devel)", ""
			if info, ok := debug.ReadBuildInfo(); ok {
				build = info.Main.Version
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = " " + s.Value
					}
				}
			}
			_, err := fmt.Fprintf(io.out, "proofload %s%s\nengine %d\n", build, revision, engine.Newest)
			return err
		},
	}
}
