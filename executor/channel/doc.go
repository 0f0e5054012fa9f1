// Package channel is the receiving side of messages, whatever the protocol and
// whoever keeps them: what a protocol's receiver hands over (Arrival), what it is
// told of it (Kept), and what a runtime asks of the keeper (Inboxes). A Hub is both
// sides of one keeper. What has to be decided about a message (where an address
// leads, which run it belongs to, whether it has come before) are functions on data
// here, so that every Hub decides alike, in memory or in a database.
//
// It owns no protocol, no storage and no clock. It imports executor for the form of
// mailboxes and messages, and must never know workflows, HTTP, SQL, or which runtime
// it serves.
package channel
