package eventstore

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
)

// The SHA-256 of "abc", from FIPS 180-2, appendix B.1.
const hashABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

func testBlobs(t *testing.T, s *Store) {
	for range 2 { // the second put finds the first
		if hash, err := s.PutBlob(t.Context(), []byte("abc")); err != nil || hash != hashABC {
			t.Errorf("put: %s, %v", hash, err)
		}
	}
	if got, err := s.Blob(t.Context(), hashABC); err != nil || string(got) != "abc" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, hash := range []string{strings.Repeat("0", 64), "", "abc", strings.Repeat("x", 64), "ba.>", "*"} {
		if _, err := s.Blob(t.Context(), hash); !errors.Is(err, ErrNoBlob) {
			t.Errorf("blob %q: %v", hash, err)
		}
	}
}

func testBlobSizes(t *testing.T, s *Store) {
	for _, size := range []int{0, 1, MaxBlob} {
		data := bytes.Repeat([]byte{7}, size)
		hash, err := s.PutBlob(t.Context(), data)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if got, err := s.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
		}
	}
	if _, err := s.PutBlob(t.Context(), make([]byte, MaxBlob+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one byte too many: %v", err)
	}
}

func testBlobRace(t *testing.T, s *Store) {
	data := []byte("put by many at once")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := s.PutBlob(t.Context(), data); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// The content of a blob is checked against its name, also when a put finds it.
func TestBlobDamaged(t *testing.T) {
	s := newStore(t)
	if _, err := s.js.Publish(t.Context(), blobSubject(hashABC), []byte("abd")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blob(t.Context(), hashABC); !errors.Is(err, ErrDamaged) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.PutBlob(t.Context(), []byte("abc")); !errors.Is(err, ErrDamaged) {
		t.Errorf("put: %v", err)
	}
}
