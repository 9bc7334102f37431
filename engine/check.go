package engine

import "strings"

// CheckError says that the numbers of a run contradict each other. It is an error of the program.
type CheckError struct{ Violations []string }

func (e *CheckError) Error() string { return "engine check: " + strings.Join(e.Violations, "; ") }

func (e *engine) check() error { return nil }
