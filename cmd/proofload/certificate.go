package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// lookTime is how often the files of the certificate are looked at.
const lookTime = 10 * time.Second

// certificate is the one of --tls-cert and --tls-key. It is read again when one of the files changes, so that a renewal needs no
// restart.
type certificate struct {
	certFile, keyFile string
	every             time.Duration // how often the files are looked at
	seen              string        // how the files were when they were last read
	pair              atomic.Pointer[tls.Certificate]
}

func readCertificate(certFile, keyFile string) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, every: lookTime}
	_, err := c.look()
	return c, err
}

// config serves with the certificate as it stands.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	}
}

// look reads the files if they are not as they were. Files that cannot be read, or do not fit each other, such as in the middle
// of a renewal, leave the certificate as it is, and are read again when one of them changes.
func (c *certificate) look() (changed bool, err error) {
	stands := state(c.certFile) + state(c.keyFile)
	if stands == c.seen {
		return false, nil
	}
	c.seen = stands
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return false, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.certFile, c.keyFile, err)
	}
	c.pair.Store(&pair)
	return true, nil
}

// state tells a file from what becomes of it.
func state(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintln(info.Size(), info.ModTime().UnixNano())
}

// watch looks at the files until the context is done.
func (c *certificate) watch(ctx context.Context, logger *slog.Logger) {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		other, err := c.look()
		if other {
			logger.InfoContext(ctx, "the certificate was read again", "file", c.certFile)
		}
		if err != nil {
			logger.ErrorContext(ctx, "the certificate was not read again, the one before stays", "err", err)
		}
	}
}
