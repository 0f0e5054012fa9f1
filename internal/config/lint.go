package config

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

func (r *reader) lint(n *arazzo.Node) (l Lint) {
	r.object(n, "lint", []field{
		{name: "extends", read: setting(r, &l.Extends, oneOf(r, "recommended", "strict", "minimal"))},
		{name: "rules", read: func(n *arazzo.Node) { l.Rules = r.rules(n) }},
		{name: "ignore", read: func(n *arazzo.Node) {
			r.list(n, "files to ignore", func(item *arazzo.Node) { l.Ignore = append(l.Ignore, r.ignore(item)) })
		}},
	})
	return l
}

func (r *reader) rules(n *arazzo.Node) map[string]Rule {
	rules := map[string]Rule{}
	r.each(n, "lint.rules", func(key, item *arazzo.Node) {
		rules[key.Text] = r.rule(key, item)
	})
	return rules
}

// severity reads how severe the findings of a rule are. Outputs for people have
// another word for one of them.
func (r *reader) severity(n *arazzo.Node) (string, bool) {
	if n.Kind == value.KindString && n.Text == "warning" {
		r.fault(n.Span.Start, "expected error, warn, hint or off, this is %q; did you mean warn?", n.Text)
		return "", false
	}
	return oneOf(r, "error", "warn", "hint", "off")(n)
}

// rule reads a severity alone, or one with the options of the rule. Which options
// there are is for the rule to say.
func (r *reader) rule(key, n *arazzo.Node) Rule {
	rule := Rule{Place: r.place(key.Span.Start)}
	severity := setting(r, &rule.Severity, r.severity)
	switch n.Kind {
	case value.KindString:
		severity(n)
	case value.KindObject:
		var options []value.Member
		for _, m := range n.Members {
			if m.Key.Text == "severity" {
				severity(m.Value)
				continue
			}
			option, err := r.open.ExpandValue(m.Value.Value())
			if err != nil {
				r.fault(m.Value.Span.Start, "%w", err)
				continue
			}
			options = append(options, value.Member{Name: m.Key.Text, Value: option})
			if rule.Places == nil {
				rule.Places = make(map[string]Place)
			}
			rule.Places[m.Key.Text] = r.place(m.Key.Span.Start)
		}
		if len(options) > 0 {
			rule.Options = value.Object(options...)
		}
	default:
		r.wrong(n, "a severity, or a mapping of severity and options")
	}
	return rule
}

func (r *reader) ignore(n *arazzo.Node) Ignore {
	i := Ignore{Place: r.place(n.Span.Start)}
	r.object(n, "an entry of lint.ignore", []field{
		{name: "path", required: true, read: into(&i.Path, r.text)},
		{name: "rules", read: func(n *arazzo.Node) {
			r.list(n, "rules", func(item *arazzo.Node) {
				if name, ok := r.text(item); ok {
					i.Rules = append(i.Rules, name)
				}
			})
		}},
	})
	return i
}
