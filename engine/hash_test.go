package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
)

// TestHashIsThatOfTheFormWithoutIt takes the hash out of the document and computes it again.
func TestHashIsThatOfTheFormWithoutIt(t *testing.T) {
	r := Result{EngineVersion: 3, Seed: "7", Operations: []OperationResult{{ID: `"hash":""`}}, EndMs: 0.1}
	document, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(document), `"hash":"`)
	if !found || len(after) < 65 {
		t.Fatalf("no hash in %s", document)
	}
	sum := sha256.Sum256([]byte(before + `"hash":"` + after[64:]))
	if want := hex.EncodeToString(sum[:]); after[:64] != want {
		t.Errorf("hash %s, want %s", after[:64], want)
	}
	if err := r.sign(); err != nil || r.Hash != after[:64] {
		t.Errorf("signed %s, %v", r.Hash, err)
	}
	if again, err := r.Document(); err != nil || string(again) != string(document) {
		t.Errorf("the signed result has another document (%v)", err)
	}
	canonical, err := domain.Canonical(document)
	if err != nil || string(canonical) != string(document) {
		t.Errorf("the document is not canonical (%v)", err)
	}
}

func TestHashChangesWithTheResult(t *testing.T) {
	a, b := Result{Seed: "1"}, Result{Seed: "1", Events: 1}
	if a.sign() != nil || b.sign() != nil || a.Hash == b.Hash {
		t.Errorf("two results with the hash %s", a.Hash)
	}
}
