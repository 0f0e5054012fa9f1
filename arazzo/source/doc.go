// Package source loads the descriptions that a document builds on, by identity
// or by location, and catalogs what they offer: the operations, webhooks and
// callbacks of OpenAPI, the workflows of other Arazzo documents.
//
// It imports the packages of the document model and must never know execution
// or rules.
package source
