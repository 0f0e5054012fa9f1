package rules

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// missing gives the error of a target that names nothing of a kind: "source",
// "operation" or "workflow".
func missing(err error, what string) *source.NotFoundError {
	var e *source.NotFoundError
	if errors.As(err, &e) && e.What == what {
		return e
	}
	return nil
}

func checkSourcesExist(p *lint.Pass) {
	report := func(text arazzo.Text, err error) {
		if e := missing(err, "source"); e != nil && isText(text) {
			p.Report(lint.Finding{At: lint.At(text.Node), Message: e.Error()})
		}
	}
	for _, s := range p.Steps() {
		report(s.Target.Ref, s.Target.Err)
		for _, d := range s.DependsOn {
			report(d.Text, d.Err)
		}
	}
	for _, a := range p.Actions() {
		report(a.Target.Ref, a.Target.Err)
	}
	for _, w := range p.Workflows {
		for _, t := range w.DependsOn {
			report(t.Ref, t.Err)
		}
	}
	var names []string
	for _, s := range p.Model.Sources {
		names = append(names, s.Name.Value)
	}
	for _, use := range p.Uses() {
		if e := use.Expression; e.Root == expression.SourceDescriptions && !slices.Contains(names, e.Owner) {
			p.Reportf(use.Owner(), "no source %s%s", quote(e.Owner), p.DidYouMean(e.Owner, names, "sources"))
		}
	}
}

func checkSourcesLoad(p *lint.Pass) {
	for i, s := range p.Set.Sources {
		if s.Problem == nil || s.Problem.Offline || i >= len(p.Model.Sources) {
			continue
		}
		if written := p.Model.Sources[i]; isText(written.URL) {
			p.Report(lint.Finding{At: lint.At(written.URL.Node), Message: s.Problem.Message})
		}
	}
}

// operations calls found for each step that names an operation which is not
// there, or not known to be there.
func brokenOperations(p *lint.Pass, found func(s *lint.Step, err error)) {
	for _, s := range p.Steps() {
		if s.Target.Err != nil && isText(s.Target.Ref) && !s.Model.WorkflowID.Present() {
			found(s, s.Target.Err)
		}
	}
}

func checkOperationsExist(p *lint.Pass) {
	brokenOperations(p, func(s *lint.Step, err error) {
		e := missing(err, "operation")
		if e == nil || !s.Model.OperationID.Present() {
			return
		}
		f := lint.Finding{At: lint.At(s.Target.Ref.Node), Message: e.Error()}
		if sent := operationPathOf(p, s.Target.Ref.Value); sent != nil {
			f.Message, f.Help = "an operationId is a name, this is a JSON Pointer", "write it as operationPath"
			f.Fixes = p.Rename(s.Target.Ref.Node, "operationPath", "write operationPath")
		}
		p.Report(f)
	})
}

// operationPathOf gives the operation that a text names as an operationPath; nil
// where it is none.
func operationPathOf(p *lint.Pass, text string) *source.Operation {
	if !strings.Contains(text, "#/") {
		return nil
	}
	_, o, err := p.Set.FindOperationPath(text)
	if err != nil {
		return nil
	}
	return o
}

func checkOperationsAmbiguous(p *lint.Pass) {
	brokenOperations(p, func(s *lint.Step, err error) {
		var e *source.AmbiguousError
		if !errors.As(err, &e) || e.What != "operation" {
			return
		}
		if len(slices.Compact(slices.Clone(e.Candidates))) == 1 {
			return // two sources have one name: that is told by itself
		}
		p.Report(lint.Finding{At: lint.At(s.Target.Ref.Node), Message: e.Error()})
	})
}

func checkOperationPaths(p *lint.Pass) {
	brokenOperations(p, func(s *lint.Step, err error) {
		e := missing(err, "operation")
		if e != nil && !s.Model.OperationID.Present() && !meetsOperation(p, s.Target.Ref.Value) {
			p.Report(lint.Finding{At: lint.At(s.Target.Ref.Node), Message: e.Error()})
		}
	})
}

func checkOperationPathsEnd(p *lint.Pass) {
	brokenOperations(p, func(s *lint.Step, err error) {
		e := missing(err, "operation")
		if e != nil && !s.Model.OperationID.Present() && meetsOperation(p, s.Target.Ref.Value) {
			message, _, _ := strings.Cut(e.Error(), ", which has no ") // it has, but no operation
			p.Report(lint.Finding{At: lint.At(s.Target.Ref.Node), Message: message})
		}
	})
}

// meetsOperation tells whether the pointer of an operationPath leads to something that
// its description has, ends on the way to an operation, or goes on into one.
func meetsOperation(p *lint.Pass, path string) bool {
	_, fragment, _ := strings.Cut(path, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer == "" {
		return false
	}
	for _, d := range p.Set.Sources {
		if d.OpenAPI == nil || !strings.Contains(path, d.Name) && !strings.Contains(path, d.URL) {
			continue
		}
		if isWritten(d.OpenAPI, pointer) {
			return true
		}
		for _, o := range d.OpenAPI.Operations {
			if strings.HasPrefix(o.Pointer, pointer+"/") || strings.HasPrefix(pointer, o.Pointer+"/") {
				return true
			}
		}
	}
	return false
}

// isWritten tells whether a description has something where a pointer leads.
func isWritten(c *source.Catalog, text string) bool {
	if len(c.Operations) == 0 || c.Operations[0].Written == nil {
		return false
	}
	pointer, err := value.ParsePointer(text)
	if err != nil {
		return false
	}
	written := c.Operations[0].Written
	return !pointer.In(written.File(written.Root())).IsAbsent()
}

func checkPreferID(p *lint.Pass) {
	for _, s := range p.Steps() {
		o, ref := s.Target.Operation, s.Model.OperationPath
		if o == nil || o.ID == "" || !isText(ref) || s.Model.OperationID.Present() || !strings.Contains(ref.Value, "#") {
			continue
		}
		id := idOf(p, &s.Target)
		if id == "" {
			continue
		}
		p.Report(lint.Finding{
			At:      lint.Name(ref.Node),
			Message: "the operation has an operationId: " + id,
			Fixes:   callByID(p, ref.Node, id),
		})
	}
}

// idOf gives the shortest operationId that leads to the target's operation; empty
// where none does.
func idOf(p *lint.Pass, t *lint.Target) string {
	for _, id := range []string{t.Operation.ID, "$sourceDescriptions." + t.Source.Name + "." + t.Operation.ID} {
		if _, found, err := p.Set.FindOperation(id); err == nil && found == t.Operation {
			return id
		}
	}
	return ""
}

// callByID is the fix that makes an operationPath an operationId.
func callByID(p *lint.Pass, path *arazzo.Node, id string) []lint.Fix {
	fixes := p.Write(path, id, "call it by its operationId")
	for i := range fixes {
		fixes[i].Edits = append([]lint.Edit{p.RenameEdit(path, "operationId")}, fixes[i].Edits...)
	}
	return fixes
}

func checkWorkflowsExist(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Model.WorkflowID.Present() {
			reportNoWorkflow(p, &s.Target)
		}
	}
	for _, use := range p.Uses() {
		e := use.Expression
		if e.Root == expression.Workflows && p.Workflow(e.Owner) == nil {
			p.Reportf(use.Owner(), "no workflow %s%s", quote(e.Owner), p.DidYouMean(e.Owner, workflowIDs(p), "workflows"))
		}
	}
}

func reportNoWorkflow(p *lint.Pass, t *lint.Target) {
	if e := missing(t.Err, "workflow"); e != nil && isText(t.Ref) {
		p.Report(lint.Finding{At: lint.At(t.Ref.Node), Message: e.Error() + orWorkflows(p, e)})
	}
}

// orWorkflows lists the workflows that there are, where an error names none.
func orWorkflows(p *lint.Pass, e *source.NotFoundError) string {
	if len(e.Candidates) > 0 || e.Detail != "" {
		return ""
	}
	return p.DidYouMean(e.Ref, workflowIDs(p), "workflows")
}

func workflowIDs(p *lint.Pass) []string {
	var ids []string
	for _, w := range p.Workflows {
		ids = append(ids, w.ID())
	}
	return ids
}
