package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

//go:embed init.yaml
var initBundle []byte

func initCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented bundle to start from (proofload.yaml; - for standard output)",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "proofload.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			if path == "-" {
				_, err := io.out.Write(initBundle)
				return err
			}
			return writeNewFile(path, initBundle, io)
		},
	}
}

// writeNewFile never replaces a file.
func writeNewFile(path string, data []byte, io streams) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; name another file", path)
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	_, _ = fmt.Fprintf(io.out, "%s is written. Run it: proofload run %s\n", path, path)
	return file.Close()
}
