// Package lint finds what is wrong with Arazzo documents and tells it as
// diagnostics: each with its rule, its severity, its place from start to end,
// related places and, where one is certain, a fix.
//
// It owns the passes over a document and what they give: today the layer
// "schema", the shape that the specification demands. Which rules there are is
// for lint/rules to say, how diagnostics look for lint/format.
//
// It must never know the executor, terminals, or how its results are shown.
package lint
