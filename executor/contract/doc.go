// Package contract tests workflows against the APIs that they are written for, before
// any of these is called.
//
// For Go users: load a document, have its APIs played behind their own *http.Client,
// run a workflow, and say what must have come of it. For weft test: an explorer that
// runs each workflow through every action and every fault, thousands of runs a second,
// and tells of each failure the shortest way there is to it.
//
// A run is judged by what the played servers saw (executor/mock) and by what the
// interpreter told (its events), never by what either says of the other.
//
// The package owns the assertions, the choice of answers, and the checks. It must never
// know terminals, flags, or how results are shown.
package contract
