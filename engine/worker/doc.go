// Package worker turns requests of runs into outcomes. It consumes RunRequested, runs the engine on what the
// request pins and appends exactly one outcome, whatever crashes or runs twice (spec 3, Engine consumer).
//
// There is one retry mechanism, the redelivery of JetStream: a worker that dies leaves its message to another.
package worker
