package domain

import (
	"fmt"
	"slices"
	"strings"
)

// report gathers the issues of one document.
type report struct {
	code   string
	issues []Issue
}

// add says what is wrong at the place (a JSON Pointer), in words that complete "this place …".
func (r *report) add(at, format string, args ...any) {
	r.issues = append(r.issues, Issue{Code: r.code, Target: at, Message: fmt.Sprintf(format, args...)})
}

// addChecked adds the issues that a check found in what was read at the place. It leaves out those at or
// below a place that could not be read: they would only repeat that.
func (r *report) addChecked(at string, found []Issue) {
	unread := make(map[string]bool, len(r.issues))
	for _, issue := range r.issues {
		unread[issue.Target] = true
	}
	for _, issue := range found {
		issue.Target = at + issue.Target
		if !anyAbove(issue.Target, unread) {
			r.issues = append(r.issues, issue)
		}
	}
}

// anyAbove tells whether one of the places is the pointer or above it.
func anyAbove(pointer string, places map[string]bool) bool {
	for !places[pointer] {
		end := strings.LastIndexByte(pointer, '/')
		if end < 0 {
			return false
		}
		pointer = pointer[:end]
	}
	return true
}

// sorted returns the issues in order of target, one for each target: the first that was found (E65).
func (r *report) sorted() []Issue {
	slices.SortStableFunc(r.issues, func(a, b Issue) int { return strings.Compare(a.Target, b.Target) })
	issues := slices.CompactFunc(r.issues, func(a, b Issue) bool { return a.Target == b.Target })
	return issues
}

// capped keeps the first issues and puts before them how many there are. It is for an answer to a document of
// 1 MB alone; a refusal of a run gives them all (E65).
func capped(issues []Issue) []Issue {
	if len(issues) <= maxIssues {
		return issues
	}
	more := fmt.Sprintf("has %d problems; these are the first %d of them", len(issues), maxIssues)
	return append([]Issue{{Code: issues[0].Code, Target: "", Message: more}}, issues[:maxIssues]...)
}

// takeBelow takes away the issues at or below a place and returns them with pointers from there on.
func (r *report) takeBelow(at string) (below []Issue) {
	r.issues = slices.DeleteFunc(r.issues, func(issue Issue) bool {
		rest, inside := strings.CutPrefix(issue.Target, at)
		if inside = inside && (rest == "" || rest[0] == '/'); inside {
			issue.Target = rest
			below = append(below, issue)
		}
		return inside
	})
	return below
}

// addAll adds issues of the same document under the code of this report.
func (r *report) addAll(issues []Issue) {
	for _, issue := range issues {
		issue.Code = r.code
		r.issues = append(r.issues, issue)
	}
}

// err is nil when nothing was reported.
func (r *report) err() error {
	if len(r.issues) == 0 {
		return nil
	}
	return &InvalidError{Issues: r.sorted()}
}
