// Package credential knows what shows to servers who sends a request: it keeps
// what a user configured for the security schemes of OpenAPI descriptions, in the
// configuration and in the environment, chooses for each call which alternative of
// its operation can be met, and gets and renews OAuth2 tokens.
//
// Credentials are bound to origins: what was configured for a source goes to the
// server that the user named for it, or to one on this machine, and nowhere else,
// whatever a description says. They are added beneath the record of a run, and
// live in memory alone. No error, notice or record of this package holds one.
//
// It imports executor, arazzo/source and packages below them. It must never know
// how requests are written or sent (others do that for it), the logic of
// workflows, or flags.
package credential
