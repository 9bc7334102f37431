package eventstore

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// markedStore opens a store with a mark file on an embedded server in the folder.
func markedStore(t *testing.T, dir string) (*Store, func(), error) {
	t.Helper()
	e, err := StartEmbedded(EmbeddedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), e.Conn(), Options{MarkFile: filepath.Join(dir, "mark")})
	return s, func() {
		if s != nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}, err
}

// damageBlock writes random bytes into the middle of what a stream that was closed has on disk, as a bad disk might.
func damageBlock(t *testing.T, dir, stream string, offset int64) {
	t.Helper()
	messages := filepath.Join(dir, "jetstream", "$G", "streams", stream, "msgs")
	block, err := os.OpenFile(filepath.Join(messages, "1.blk"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 50)
	_, _ = rand.Read(noise)
	_, err = block.WriteAt(noise, offset)
	if err := errors.Join(err, block.Close(), os.Remove(filepath.Join(messages, "index.db"))); err != nil {
		t.Fatal(err)
	}
}

func TestOpenFindsAStreamThatWasCut(t *testing.T) {
	for _, stream := range []string{StreamEvents, StreamBlobs} {
		t.Run(stream, func(t *testing.T) {
			dir := t.TempDir()
			s, stop, err := markedStore(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			appendChain(t, s, profile("p"), 50)
			for i := range 50 {
				if _, err := s.PutBlob(t.Context(), []byte(strings.Repeat("x", i))); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			damageBlock(t, dir, stream, 3000)
			for range 2 { // also when it was tried before
				_, stop, err = markedStore(t, dir)
				stop()
				var loss *LossError
				if !errors.As(err, &loss) || !errors.Is(err, ErrAhead) {
					t.Fatalf("%v, want a loss", err)
				}
				if loss.Stream != stream || loss.Had != 50 || loss.Last >= 50 {
					t.Errorf("%+v, want the stream %s that had 50", loss, stream)
				}
			}
			for _, says := range []string{"damaged or cut", "copy of the whole data folder", "newest backup", "hide the loss", filepath.Join(dir, "mark")} {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if err := os.Remove(filepath.Join(dir, "mark")); err != nil {
				t.Fatal(err)
			}
			_, stop, err = markedStore(t, dir)
			stop()
			if err != nil {
				t.Errorf("the loss was accepted: %v", err)
			}
		})
	}
}

// A whole log opens again, whatever the file says of another stream, and when it was cut off itself.
func TestOpenTakesAWholeStream(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", `{"EVT"`, "null", `{"EVT":{"created":"2020-01-01T00:00:00Z","last":99}}`} {
		if err := os.WriteFile(filepath.Join(dir, "mark"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, stop, err := markedStore(t, dir)
		if err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		records := mustLoad(t, s, profile("p"))
		mustAppend(t, s, profile("p"), TailOf(records), len(records)+1)
		stop()
	}
}

// What was not synced yet is not written down: a loss of power may take it.
func TestMarksWriteWhatHasSettled(t *testing.T) {
	m := marks{path: filepath.Join(t.TempDir(), "mark")}
	if err := m.check("S", Position{Last: 3}); err != nil {
		t.Fatal(err)
	}
	m.note("S", 7)
	m.tick()
	written := func() uint64 {
		again := marks{path: m.path}
		if err := again.load(); err != nil {
			t.Fatal(err)
		}
		return again.known["S"].Last
	}
	if got := written(); got != 3 {
		t.Errorf("%d is written, want 3", got)
	}
	m.tick()
	if got := written(); got != 7 {
		t.Errorf("%d is written, want 7", got)
	}
	m.note("S", 9)
	if err := m.close(); err != nil || written() != 9 {
		t.Errorf("%d is written at the end, want 9; %v", written(), err)
	}
}

func TestAConsumerKnowsWhatItGot(t *testing.T) {
	for _, info := range []jetstream.ConsumerInfo{
		{Delivered: jetstream.SequenceInfo{Stream: 9}, AckFloor: jetstream.SequenceInfo{Stream: 4}},
		{AckFloor: jetstream.SequenceInfo{Stream: 9}},
	} {
		if got := reached(&info); got != 9 {
			t.Errorf("%d, want 9", got)
		}
	}
}

// A log that lacks its last commit alone has lost one.
func TestALossOfOneCommitIsOne(t *testing.T) {
	created := time.Now()
	path := filepath.Join(t.TempDir(), "mark")
	whole := marks{path: path}
	if err := errors.Join(whole.check("S", Position{Last: 7, Created: created}), whole.write(map[string]mark{"S": {created, 7}})); err != nil {
		t.Fatal(err)
	}
	_ = whole.close()
	for last, lost := range map[uint64]bool{6: true, 7: false, 8: false} {
		m := marks{path: path}
		err := m.check("S", Position{Last: last, Created: created})
		if m.timer != nil {
			m.timer.Stop()
		}
		if errors.Is(err, ErrAhead) != lost || (err != nil) != lost {
			t.Errorf("an end at %d: %v", last, err)
		}
	}
}
