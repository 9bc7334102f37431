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
	if len(issues) > maxIssues {
		more := fmt.Sprintf("has %d problems; these are the first %d of them", len(issues), maxIssues)
		issues = append([]Issue{{Code: r.code, Target: "", Message: more}}, issues[:maxIssues]...)
	}
	return issues
}

// err is nil when nothing was reported.
func (r *report) err() error {
	if len(r.issues) == 0 {
		return nil
	}
	return &InvalidError{Issues: r.sorted()}
}
