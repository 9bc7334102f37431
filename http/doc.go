// Package http is the API of proofload (the stress model page, HTTP; spec 3, HTTP).
//
// Routes is one table: routing, roles, the OpenAPI document and the contract tests come from it. Documents are
// parsed by domain, so that the API and the command line refuse the same things with the same JSON Pointers.
// Handlers return errors; fail is the only place that makes an answer of one (RFC 9457). Other packages import
// this one as api.
package http
