// Package projections folds the event stream into SQL tables and answers queries on them (spec 3,
// Projections).
//
// One Projector reads the stream in order. A batch of commits and the checkpoint are one transaction, so
// that a commit counts once however often a process dies. The tables are disposable: Rebuild makes them
// again from the first commit beside the live ones and switches. Whatever must be right at the moment of a
// command is read from the stream, never from here.
//
// The tables are a file of SQLite, or a schema of PostgreSQL that several processes share (docs/adr/0007-two-databases.md).
// Each process opens at most 16 connections to read and 4 to project and rebuild; Close closes them all.
package projections
