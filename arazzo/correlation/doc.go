// Package correlation finds where messages have the value by which a run recognises
// its own: where their description says it, else where something has the same name.
// It owns that search, so that what is linted is what is run. It must never know
// which message came, nor who asks.
package correlation
