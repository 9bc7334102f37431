package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/proofload/proofload/eventstore"
)

// segmentBytes is how many bytes of lines a segment takes before the next one is begun.
var segmentBytes = 64 << 20

// segmentWriter is a sink that writes the segments of a backup into a folder.
type segmentWriter struct {
	dir     string
	limit   int // bytes of lines in a segment
	stream  string
	now     *openSegment // nil: none is open
	written []Segment    // of the stream
	all     map[string][]Segment
}

func (w *segmentWriter) begin(of eventstore.StreamState) error {
	w.stream, w.written = of.Name, []Segment{}
	return nil
}

func (w *segmentWriter) message(m eventstore.Message) (err error) {
	if w.now == nil {
		if w.now, err = createSegment(w.dir, segmentName(w.stream, len(w.written)+1), m.Seq); err != nil {
			return err
		}
	}
	if err := writeLine(w.now, recordOf(m)); err != nil {
		return err
	}
	w.now.Last = m.Seq
	if w.now.lines < w.limit {
		return nil
	}
	return w.finish()
}

func (w *segmentWriter) end() error {
	err := w.finish()
	w.all[w.stream] = w.written
	return err
}

func (w *segmentWriter) finish() error {
	if w.now == nil {
		return nil
	}
	segment, err := w.now.close()
	w.now, w.written = nil, append(w.written, segment)
	return err
}

// abandon closes what a failure left open.
func (w *segmentWriter) abandon() {
	if w.now != nil {
		_ = w.now.file.Close()
	}
}

// openSegment is a segment that is being written.
type openSegment struct {
	Segment
	lines int // bytes of lines so far
	file  *os.File
	sum   hash.Hash
	out   *bufio.Writer
	zip   *gzip.Writer
}

func createSegment(dir, name string, first uint64) (*openSegment, error) {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	s := &openSegment{Segment: Segment{File: name, First: first}, file: file, sum: sha256.New()}
	s.out = bufio.NewWriterSize(io.MultiWriter(file, s.sum), 1<<16)
	s.zip, err = gzip.NewWriterLevel(s.out, gzip.BestSpeed)
	return s, err
}

func (s *openSegment) Write(line []byte) (int, error) {
	s.lines += len(line)
	return s.zip.Write(line)
}

func (s *openSegment) close() (Segment, error) {
	err := errors.Join(s.zip.Close(), s.out.Flush(), s.file.Sync())
	if info, failed := s.file.Stat(); failed == nil {
		s.Size = info.Size()
	}
	s.SHA256 = hex.EncodeToString(s.sum.Sum(nil))
	return s.Segment, errors.Join(err, s.file.Close())
}

// readSegment hands the messages of a segment over, after it was compared with its sum.
func readSegment(dir string, s Segment, each func(eventstore.Message) error) error {
	path := filepath.Join(dir, s.File)
	sum, err := sumOf(path)
	if err != nil {
		return damaged("%v", err)
	}
	if sum != s.SHA256 {
		return damaged("%s was changed: its SHA-256 is not that of %s", s.File, manifestFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return damaged("%s: %v", s.File, err)
	}
	return readLines(unzipped, func(line []byte) error {
		var r record
		if err := readStrict(line, &r); err != nil {
			return damaged("%s: a line that is no message: %v", s.File, err)
		}
		if r.Seq < s.First || r.Seq > s.Last {
			return damaged("%s: message %d is not of its %d to %d", s.File, r.Seq, s.First, s.Last)
		}
		return each(r.message())
	})
}

// errLineTooLong: more than maxLine bytes came without an end of line.
var errLineTooLong = errors.New("a line is too long")

// readLines hands the lines of r over, without their ends. A last line without an end is an error: it was cut.
func readLines(r io.Reader, each func([]byte) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return errLineTooLong
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		if err := each(line[:len(line)-1]); err != nil {
			return err
		}
		line = line[:0]
	}
}
