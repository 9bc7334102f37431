package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// tokenFile is the file of the data folder that holds the administrator's token. Who can read it can read the data.
const tokenFile = "admin-token"

// folderToken gives the administrator's token of a data folder. Where the file is missing, or holds a token that opens
// nothing (the start before this one died, a backup was restored), another one is issued and written.
func folderToken(ctx context.Context, c *commands.Commands, dir, memberID string) (string, error) {
	path := filepath.Join(dir, tokenFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("administrator's token: %w", err)
	}
	if text := strings.TrimSpace(string(data)); text != "" {
		_, err := c.Authenticate(ctx, text)
		if !errors.Is(err, domain.ErrUnauthenticated) {
			return text, err
		}
	}
	issued, err := c.FirstToken(ctx, memberID)
	if err != nil {
		return "", fmt.Errorf("administrator's token: %w", err)
	}
	return issued.Text, writeSecret(path, issued.Text)
}

// admitTokenFile makes the text of a file a token of the administrator.
func admitTokenFile(ctx context.Context, c *commands.Commands, path, memberID string) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = c.AdmitToken(ctx, memberID, strings.TrimSpace(string(data)))
	}
	if err != nil {
		return fmt.Errorf("administrator's token in %s: %w", path, err)
	}
	return nil
}

// writeSecret writes a file that only its owner reads. It is there whole or not at all.
func writeSecret(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the rename it is not there
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
