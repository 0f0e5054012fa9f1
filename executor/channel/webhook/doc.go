// Package webhook receives messages over HTTP: webhooks and callbacks of OpenAPI, and
// channels of AsyncAPI whose protocol is http. A Receiver is an http.Handler that hands
// what comes to a channel.Keeper and answers when it is kept; a Listener serves it. The
// package also says how the addresses look.
//
// Signatures are those of Standard Webhooks, events those of CloudEvents. It imports
// channel and executor, and must never know who keeps the messages, workflows, what
// messages mean, or terminals.
package webhook
