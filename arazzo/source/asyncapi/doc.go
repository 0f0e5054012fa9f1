// Package asyncapi reads AsyncAPI descriptions, 2.0 to 2.6, 3.0 and 3.1, as one
// catalog in the shape of 3.x: servers, channels, operations, messages and
// security schemes, each with its place. References are followed, traits are
// merged in. What cannot be read is a [Fault] and costs only what it stands for.
//
// It owns the meaning of AsyncAPI alone: it gets trees and asks an [Opener] for
// the files that they refer to. It is apart from its parent because nearly each
// of its types has a namesake of OpenAPI there that means something else.
//
// It imports arazzo and arazzo/value, and must never know how files are found or
// fetched, Arazzo's steps, execution or rules.
package asyncapi
