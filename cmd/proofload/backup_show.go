package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/proofload/proofload/eventstore/backup"
)

// copyBar is a bar on a terminal for a copy that takes over a second; elsewhere it shows nothing.
type copyBar struct {
	bar     *progressbar.ProgressBar // nil: no terminal
	elapsed func() time.Duration
}

func newCopyBar(io streams) copyBar {
	return copyBar{bar: newBar(io, progressSteps, "log"), elapsed: sinceStart()}
}

// show hears how far the work is, which the word names.
func (b copyBar) show(word string) backup.Progress {
	if b.bar == nil {
		return nil
	}
	return func(stream string, done, all uint64) {
		if b.elapsed() < time.Second {
			return
		}
		b.bar.Describe(word + " " + stream)
		_ = b.bar.Set64(int64(float64(done) / float64(max(all, 1)) * progressSteps))
	}
}

// clear takes the bar off the terminal.
func (b copyBar) clear() {
	if b.bar != nil && b.elapsed() >= time.Second {
		_ = b.bar.Clear()
	}
}

// shownBackup is a backup as JSON.
type shownBackup struct {
	Dir string `json:"dir"`
	ID  string `json:"id"`
	backup.Manifest
}

func showBackup(io streams, word string, b backup.Backup, asJSON bool) error {
	if asJSON {
		return writeJSON(io.out, shownBackup{Dir: b.Dir, ID: b.ID, Manifest: b.Manifest})
	}
	events, blobs := b.Streams[0], b.Streams[1]
	files, size := 0, int64(0)
	for _, s := range b.Streams {
		for _, segment := range s.Segments {
			files++
			size += segment.Size
		}
	}
	_, err := fmt.Fprintf(io.out, "%s %s\nposition %d: %d commits (%s), %d documents and results (%s)\n%d files with data (%s)\nid %s\n",
		word, b.Dir, events.Last, events.Messages, byteText(events.Bytes), blobs.Messages, byteText(blobs.Bytes), files, byteText(uint64(size)), b.ID)
	return err
}

// byteText is a number of bytes with three digits.
func byteText(n uint64) string {
	const units = "kMGT"
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/1000, 0
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	return fmt.Sprintf("%.3g %cB", value, units[unit])
}
