package main

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/projections"
)

// TestPerformanceDisk prints what one saved version of the profile of the demo and one run of it take on disk. Without
// PROOFLOAD_BENCH it is short, and only checks that both streams grow.
func TestPerformanceDisk(t *testing.T) {
	runs := 2
	full := os.Getenv("PROOFLOAD_BENCH") != ""
	if full {
		runs = 25
	}
	n := startTestNode(t, t.TempDir())
	projectID, run, err := runExample(t.Context(), n.node)
	if err != nil {
		t.Fatal(err)
	}
	before := diskOf(t, n.node)
	for i := range runs {
		run = runSeed(t, n.node, projectID, run, strconv.Itoa(i+2))
	}
	after := diskOf(t, n.node)
	n.stop(t)
	per := func(i int) int64 { return (after[i] - before[i]) / int64(runs) }
	if per(0) <= 0 || per(1) <= 0 {
		t.Errorf("the streams have %v bytes after %v", after, before)
	}
	if full {
		fmt.Printf("| mean of %d | stream EVT | stream BLOB |\n| --- | --- | --- |\n", runs)
		fmt.Printf("| one version of the profile of the demo and one run of it | %d B | %d B |\n", per(0), per(1))
	}
}

// runSeed saves the next version of a profile with another seed, and runs it.
func runSeed(t *testing.T, n *node, projectID string, last projections.Run, seed string) projections.Run {
	t.Helper()
	ctx, by := t.Context(), commands.Meta{Member: n.first.MemberID}
	stored, err := n.projections.Profile(ctx, projectID, last.ProfileID)
	if err != nil {
		t.Fatal(err)
	}
	data, err := n.store.Blob(ctx, stored.Blob)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := domain.ParseProfile(data)
	if err != nil {
		t.Fatal(err)
	}
	profile.Seed = seed
	data, err = json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	document, raw, err := exampleProfile(data, profile.ScenarioID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = n.commands.SaveProfile(ctx, commands.SaveProfile{Meta: by, ProjectID: projectID, ProfileID: last.ProfileID, Base: stored.Version, Document: document, Raw: raw})
	if err != nil {
		t.Fatal(err)
	}
	requested, err := n.commands.RequestRun(ctx, commands.RequestRun{Meta: by, ProjectID: projectID, ProfileID: last.ProfileID})
	if err != nil {
		t.Fatal(err)
	}
	run, err := n.projections.WaitOutcome(ctx, projectID, requested.ID)
	if err != nil || run.Status != domain.StatusCompleted {
		t.Fatalf("run %s is %s: %v", requested.ID, run.Status, err)
	}
	return run
}

// diskOf gives the bytes of the streams EVT and BLOB.
func diskOf(t *testing.T, n *node) (bytes [2]int64) {
	t.Helper()
	for i, name := range []string{eventstore.StreamEvents, eventstore.StreamBlobs} {
		stream, err := n.store.JetStream().Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		bytes[i] = int64(stream.CachedInfo().State.Bytes) //nolint:gosec // far below
	}
	return bytes
}
