// Package server is the HTTP API of weft serve: it starts durable runs, tells of them,
// acts on them, and takes the messages that they wait for. What it offers is described
// in openapi.yaml, which it serves itself.
//
// It owns requests, rights and answers. It imports executor/durable, which does the
// work, and must never know flags, configuration files, terminals, or business rules:
// which documents there are, and who may do what, it is told.
package server
