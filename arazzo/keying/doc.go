// Package keying puts together what a document and an API's description say about the
// idempotency key of a step: x-weft-idempotency of the step, its workflow and the
// document, and the header fields that the operation declares.
//
// It owns which of them wins, so that what is linted is what is run. It imports arazzo,
// arazzo/source and idempotency, and must never know how a value is evaluated, nor
// which key comes of it.
package keying
