package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Names of the files of a backup beside its segments.
const (
	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS" // of all files; the last that is written
)

// Format is the version of the files that this program writes, and the one that it reads.
const Format = 1

// ErrDamaged: the files of a backup are not as they were written. Restore another one.
var ErrDamaged = errors.New("the backup is damaged")

// ErrNoBackup: a folder holds no backup that was finished.
var ErrNoBackup = errors.New("there is no finished backup")

// Manifest says what a backup holds.
type Manifest struct {
	Format  int       `json:"format"`
	Program string    `json:"program"` // that wrote it, and its version
	At      time.Time `json:"at"`      // when it was begun, UTC
	Streams []Stream  `json:"streams"`
}

// Stream is one stream of a backup.
type Stream struct {
	Totals
	Segments []Segment `json:"segments"`
}

// Segment is a file with messages of a stream, one line of JSON for each, compressed by gzip.
type Segment struct {
	File   string `json:"file"`
	First  uint64 `json:"first,string"`
	Last   uint64 `json:"last,string"`
	Size   int64  `json:"size"` // of the file in bytes
	SHA256 string `json:"sha256"`
}

// Backup is a backup in a folder. ID is the SHA-256 of its manifest, and so it stands for all of it.
type Backup struct {
	Manifest
	ID  string
	Dir string
}

// Open reads the manifest of a backup and checks it. Verify reads the rest.
func Open(dir string) (Backup, error) {
	b := Backup{Dir: dir}
	sums, err := readSums(dir)
	if err != nil {
		return b, err
	}
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return b, damaged("%v", err)
	}
	b.ID = hexSum(data)
	if sums[manifestFile] != b.ID {
		return b, damaged("%s was changed: its SHA-256 is not that of %s", manifestFile, sumsFile)
	}
	var version struct{ Format int }
	if err := json.Unmarshal(data, &version); err != nil {
		return b, damaged("%s: %v", manifestFile, err)
	}
	if version.Format != Format {
		return b, fmt.Errorf("%s has the format %d, this program reads %d: use the proofload that wrote it, or a newer one", dir, version.Format, Format)
	}
	if err := readStrict(data, &b.Manifest); err != nil {
		return b, damaged("%s: %v", manifestFile, err)
	}
	return b, b.check(sums)
}

// check compares the manifest with itself and with the list of sums.
func (m Manifest) check(sums map[string]string) error {
	if len(m.Streams) != len(streamNames) {
		return damaged("%s has %d streams, not %d", manifestFile, len(m.Streams), len(streamNames))
	}
	files := 1
	for i, s := range m.Streams {
		if s.Stream != streamNames[i] {
			return damaged("%s has the stream %q in the place of %s", manifestFile, s.Stream, streamNames[i])
		}
		for n, segment := range s.Segments {
			if segment.File != segmentName(s.Stream, n+1) {
				return damaged("%s has the file %q in the place of %s", manifestFile, segment.File, segmentName(s.Stream, n+1))
			}
			if files++; sums[segment.File] != segment.SHA256 {
				return damaged("%s: %s and %s have different sums", segment.File, manifestFile, sumsFile)
			}
		}
	}
	if files != len(sums) {
		return damaged("%s lists %d files, %s has %d", sumsFile, len(sums), manifestFile, files)
	}
	return nil
}

// readSums reads the list of sums, as sha256sum writes it.
func readSums(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: %s is missing", dir, ErrNoBackup, sumsFile)
	}
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		sum, name, found := strings.Cut(lines.Text(), "  ")
		if !found || len(sum) != 2*sha256.Size {
			return nil, damaged("%s has the line %q", sumsFile, lines.Text())
		}
		sums[name] = sum
	}
	return sums, nil
}

// writeEnd writes manifest and sums: the backup is whole then.
func writeEnd(dir string, m Manifest) (id string, err error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return "", err
	}
	data = append(data, '\n')
	id = hexSum(data)
	sums := []string{id + "  " + manifestFile}
	for _, s := range m.Streams {
		for _, segment := range s.Segments {
			sums = append(sums, segment.SHA256+"  "+segment.File)
		}
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	if err := writeSynced(filepath.Join(dir, manifestFile), data); err != nil {
		return "", err
	}
	return id, writeSynced(filepath.Join(dir, sumsFile), []byte(strings.Join(sums, "\n")+"\n"))
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func segmentName(stream string, n int) string { return fmt.Sprintf("%s-%06d.jsonl.gz", stream, n) }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sumOf is the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
