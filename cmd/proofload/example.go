package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/projections"
)

//go:embed demo.yaml
var demoBundle string

// runExample saves the example's documents, requests a run and waits for its outcome.
func runExample(ctx context.Context, n *node) (projectID string, run projections.Run, err error) {
	bundle, raw, err := readExample()
	if err != nil {
		return "", run, err
	}
	meta := commands.Meta{Member: n.first.MemberID}
	project, err := n.commands.CreateProject(ctx, commands.CreateProject{Meta: meta, WorkspaceID: n.first.WorkspaceID, Name: "Web shop"})
	if err != nil {
		return "", run, err
	}
	if _, err = n.commands.SaveModel(ctx, commands.SaveModel{Meta: meta, ProjectID: project.ID, Document: bundle.Model, Raw: raw["model"]}); err != nil {
		return "", run, err
	}
	scenario, err := n.commands.SaveScenario(ctx, commands.SaveScenario{Meta: meta, ProjectID: project.ID, Document: *bundle.Scenario, Raw: raw["scenario"]})
	if err != nil {
		return "", run, err
	}
	document, data, err := exampleProfile(raw["profile"], scenario.ID)
	if err != nil {
		return "", run, err
	}
	profile, err := n.commands.SaveProfile(ctx, commands.SaveProfile{Meta: meta, ProjectID: project.ID, Document: document, Raw: data})
	if err != nil {
		return "", run, err
	}
	requested, err := n.commands.RequestRun(ctx, commands.RequestRun{Meta: meta, ProjectID: project.ID, ProfileID: profile.ID})
	if err != nil {
		return "", run, err
	}
	if err := n.projections.WaitFor(ctx, requested.Position); err != nil {
		return "", run, err
	}
	run, err = n.projections.WaitOutcome(ctx, project.ID, requested.ID)
	return project.ID, run, err
}

// readExample reads the bundle of the example and its documents.
func readExample() (domain.Bundle, map[string][]byte, error) { return parseDocuments(demoBundle) }

// parseDocuments reads a bundle and its documents in canonical form, as they are stored.
func parseDocuments(text string) (domain.Bundle, map[string][]byte, error) {
	doc, err := readDocument("-", strings.NewReader(text))
	if err != nil {
		return domain.Bundle{}, nil, err
	}
	bundle, err := domain.ParseBundle(doc.json)
	if err != nil {
		return bundle, nil, err
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(doc.json, &members); err != nil {
		return bundle, nil, err
	}
	canonical := map[string][]byte{}
	for name, value := range members {
		if canonical[name], err = domain.Canonical(value); err != nil {
			return bundle, nil, err
		}
	}
	return bundle, canonical, nil
}

// exampleProfile names the scenario that the store has given an id.
func exampleProfile(raw []byte, scenarioID string) (domain.Profile, []byte, error) {
	profile, err := domain.ParseProfile(raw)
	if err != nil {
		return profile, nil, err
	}
	profile.ScenarioID = scenarioID
	data, err := json.Marshal(profile)
	if err != nil {
		return profile, nil, err
	}
	data, err = domain.Canonical(data)
	return profile, data, err
}

// storedResult reads the result of a completed run, as any reader of the store does.
func storedResult(ctx context.Context, n *node, run projections.Run) (domain.Bundle, *engine.Result, error) {
	bundle, _, err := readExample()
	if err != nil {
		return bundle, nil, err
	}
	if run.Status != domain.StatusCompleted {
		return bundle, nil, fmt.Errorf("the run ended as %s: %s", run.Status, run.ProblemTitle)
	}
	data, err := n.store.Blob(ctx, run.ResultBlob)
	if err != nil {
		return bundle, nil, err
	}
	var result engine.Result
	return bundle, &result, json.Unmarshal(data, &result)
}
