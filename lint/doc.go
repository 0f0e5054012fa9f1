// Package lint finds what is wrong with Arazzo documents and tells it as
// diagnostics: each with its rule, its severity, its place from start to end,
// related places and, where one is certain, a fix.
//
// It owns the passes over a document: [Run] reads all files, loads each source
// once, and resolves each document once into a [Document] that the checks of all
// rules share. Which rules there are is for lint/rules to say, how diagnostics
// look for lint/format.
//
// # How a rule is written
//
// A [Rule] is a value with its documentation and a function, Check, that gets a
// [Pass]: the resolved document, and Report for what it finds. A check asks the
// document, it never reads a file or compiles a text again:
//
//   - Document.Workflows, Workflow.Steps: everything in the order of the document.
//   - Step.Target: what a step calls, resolved. Err says that it names nothing;
//     Open, that this cannot be known because a source is not there: then whatever
//     depends on it keeps silent.
//   - Step.Parameters, OnSuccess, OnFailure: merged with those of the workflow,
//     references to components followed. Step.Own has them as written.
//   - Uses, Values, Criteria: all that is evaluated, of the document or of one
//     workflow, compiled, with the [Site] that says where in the flow it stands.
//   - Workflow.Flow: the control-flow graph ([Flow]); [Judge] and the [Outcomes]
//     of an attempt say under which statuses criteria hold, and whether they can
//     hold without a response.
//   - Value.Schema, Use.Schema: what is known of a value before there is one, as a
//     [reason.Schema]; Site.Responses: which of the described responses can have
//     come there; Document.Checker: whether a constant keeps to the description.
//
// [At], [Name] and [Part] give the place of a node, of the name of a member, of a
// stretch of text; Document.Replace and Write make fixes that keep the way in which
// the file is written. Pass.Option gives the numbers of Rule.Options, as the
// configuration ([Config]) has them.
//
// A false finding is worse than a missed one: where the truth depends on what
// cannot be known, a check is silent. A document may be broken in any way, and
// what is missing is nil or empty: a check must never panic on it.
//
// The package must never know the executor, terminals, or how its results are
// shown.
package lint
