// Package domain holds the documents (model, scenario, profile, measurement), the events and the state
// folded from them, and what can be said about them without a store or a clock: strict reading, the trace
// of a scenario, requirements, routing and the comparison of two results.
//
// It is pure. The documents are defined in docs/reference (from spec 1 and the stress model page).
package domain
