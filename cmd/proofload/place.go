package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/proofload/proofload/domain"
)

// place says where the thing stands that a refusal names by its id: below a document, as one of some members.
type place struct {
	below   string
	members []string
}

// placeOf is the place of a refusal's target (E66); nothing is found for a limit.
func placeOf(code string) place {
	switch code {
	case domain.CodeInvalidScenario:
		return place{"/scenario/", []string{"id", "subscriptionId"}}
	case domain.CodeMissingBranchProbability:
		return place{"/scenario/", []string{"id"}}
	case domain.CodeUnknownTarget:
		return place{"/profile/", []string{"target"}}
	case domain.CodeMissingConcurrency, domain.CodeMissingServiceTime, domain.CodeMissingConsumers:
		return place{"/model/", []string{"id"}}
	}
	return place{}
}

// lineOf is the line of an issue; 0: it has none.
func (d document) lineOf(issue domain.Issue) int {
	switch target := issue.Target; {
	case target == "" || target[0] == '/':
		return d.line(target)
	case issue.Code == domain.CodeUnknownScenario:
		return d.line("/scenario")
	default:
		return d.lineOfID(placeOf(issue.Code), target)
	}
}

// lineOfID is the line of the first member at the place that holds the id.
func (d document) lineOfID(at place, id string) int {
	dec := jsontext.NewDecoder(bytes.NewReader(d.json))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return 0
		}
		if token.Kind() != '"' || token.String() != id || !isMemberValue(dec) {
			continue
		}
		pointer := dec.StackPointer()
		if strings.HasPrefix(string(pointer), at.below) && slices.Contains(at.members, pointer.LastToken()) {
			return d.line(string(pointer))
		}
	}
}

// isMemberValue says whether the token that was read last is the value of a member, not its name.
func isMemberValue(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 0
}

// inBundle gives the issues of a refusal pointers into the bundle where they point into a document of it (E66).
func inBundle(issues []domain.Issue) []domain.Issue {
	moved := slices.Clone(issues)
	for i, issue := range moved {
		switch {
		case issue.Code == domain.CodeInvalidProfile:
			moved[i].Target = "/profile" + issue.Target
		case issue.Code == domain.CodeInvalidScenario && issue.Target == "":
			moved[i].Target = "/scenario"
		}
	}
	return moved
}
