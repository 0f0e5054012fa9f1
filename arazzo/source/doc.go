// Package source loads the descriptions that a document builds on, by identity
// or by location, and catalogs what they offer: the operations, webhooks and
// callbacks of OpenAPI, the workflows of other Arazzo documents; the operations
// and channels of AsyncAPI by means of its subpackage.
//
// A description is read once by each [Loader], checked for what could do harm,
// mended where a fault would otherwise hide the whole of it, and never
// validated beyond that. Types of the OpenAPI library are seen outside only as
// schemas and encodings.
//
// It imports the packages of the document model and must never know execution
// or rules.
package source
