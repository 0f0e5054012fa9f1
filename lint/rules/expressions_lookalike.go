package rules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// checkLookalikes looks at the texts of what is sent: those of outputs and
// criteria are for other rules.
func checkLookalikes(p *lint.Pass) {
	for _, v := range p.Values() {
		if v.Kind == lint.InOutput || v.Kind == lint.InWorkflowOutput || v.Kind == lint.InMessage {
			continue
		}
		l := lookalikes{pass: p, names: namesOf(v.Site)}
		if v.Kind == lint.InPayload && v.Node.Kind == value.KindString {
			l.payload = v.Node
		}
		l.look(v.Node)
	}
}

type lookalikes struct {
	pass    *lint.Pass
	names   *expression.Names
	payload *arazzo.Node // a whole body that is text, which may be JSON; nil: none
	left    int          // how many are still told of the text that is looked at
}

// maxLookalikes is how many are told of one text.
const maxLookalikes = 100

func (l *lookalikes) look(n *arazzo.Node) {
	switch n.Kind {
	case value.KindString:
		if strings.Contains(n.Text, "$") {
			l.text(n)
		}
		l.withoutDollar(n)
		l.dressed(n)
	case value.KindArray:
		for _, item := range n.Items {
			l.look(item)
		}
	case value.KindObject:
		if l.unquoted(n) {
			return
		}
		for _, m := range n.Members {
			l.look(m.Value)
		}
	}
}

// unquoted reports {$inputs.x} that lacks its quotes: YAML reads a mapping with
// one key and no value.
func (l *lookalikes) unquoted(n *arazzo.Node) bool {
	if len(n.Members) != 1 || n.Members[0].Value.Kind != value.KindNull {
		return false
	}
	key := n.Members[0].Key.Text
	if _, err := expression.Parse(key, l.names); err != nil {
		return false
	}
	meant := "{" + key + "}"
	l.pass.Report(lint.Finding{
		At:      lint.At(n),
		Message: meant + " without quotes is a mapping with the key " + quote(key) + ", not an embedded expression",
		Fixes:   l.pass.Write(n, meant, "put it in quotes"),
	})
	return true
}

func (l *lookalikes) text(n *arazzo.Node) {
	template, err := expression.ParseTemplate(n.Text, l.names)
	if err != nil {
		return // told by another rule
	}
	if _, whole := template.Whole(); whole {
		return
	}
	if _, ok := expression.LooksLike(n.Text); ok {
		l.misspelt(n)
		return
	}
	l.left = maxLookalikes
	for _, s := range template.Parts() {
		if s.Expression == nil && l.left > 0 {
			l.withoutBraces(n, s)
		}
	}
}

// misspelt reports a text that begins as an expression does and is none.
func (l *lookalikes) misspelt(n *arazzo.Node) {
	_, err := expression.Parse(n.Text, l.names)
	var fault *expression.Error
	if !asError(err, &fault) {
		return
	}
	f := lint.Finding{
		At:      lint.At(n),
		Message: quote(n.Text) + " is sent as it is, it is no expression: " + fault.Message,
	}
	if meant := meantExpression(n.Text, l.names); meant != "" {
		f.Message = quote(n.Text) + " is sent as it is, it is no expression; did you mean " + meant + "?"
		f.Fixes = l.pass.Write(n, meant, "write "+meant)
	}
	l.pass.Report(f)
}

// inText is an expression within a text that lacks its braces.
var inText = regexp.MustCompile(`\$(?:inputs|steps)\.[A-Za-z0-9_-]+(?:\.outputs\.[A-Za-z0-9_-]+)?(?:#/[A-Za-z0-9_~/-]*)?`)

// withoutBraces reports expressions in the literal part of a text, where what
// they name is declared: then they are no accident.
func (l *lookalikes) withoutBraces(n *arazzo.Node, s expression.Segment) {
	for _, at := range inText.FindAllStringIndex(s.Text, l.left) {
		text := s.Text[at[0]:at[1]]
		e, err := expression.Parse(text, l.names)
		if err != nil || !l.names.Declare(e) {
			continue
		}
		from := s.Offset + at[0]
		f := lint.Finding{
			At:      lint.Part(n, from, from+len(text)),
			Message: fmt.Sprintf("within a text an expression stands in braces: {%s}", text),
		}
		if !isBareJSON(n.Text, from) {
			f.Fixes = l.pass.Replace(n, from, from+len(text), "{"+text+"}", "put it in braces")
		}
		l.pass.Report(f)
		l.left--
	}
}

// bareBraces is what other tools take for a place to fill in.
var bareBraces = regexp.MustCompile(`\$?\{(?:inputs|steps)\.[A-Za-z0-9_-]+(?:\.outputs\.[A-Za-z0-9_-]+)?\}`)

// withoutDollar reports braces with an expression that lacks its dollar, or has it
// before the brace, where what they name is declared.
func (l *lookalikes) withoutDollar(n *arazzo.Node) {
	if !strings.Contains(n.Text, "{") {
		return // most texts, and looking for the rest takes much longer
	}
	for _, at := range bareBraces.FindAllStringIndex(n.Text, maxLookalikes) {
		text := n.Text[at[0]:at[1]]
		meant := "$" + strings.Trim(text, "${}")
		e, err := expression.Parse(meant, l.names)
		if err != nil || !l.names.Declare(e) {
			continue
		}
		l.pass.Report(lint.Finding{
			At:      lint.Part(n, at[0], at[1]),
			Message: fmt.Sprintf("%s is sent as it is, it is no expression; did you mean {%s}?", quote(text), meant),
			Fixes:   l.pass.Replace(n, at[0], at[1], "{"+meant+"}", "write {"+meant+"}"),
		})
	}
}

// dressedExpression is a text that is wholly an expression but for its dollar, or that
// has it in two braces, as other tools write what they fill in.
var dressedExpression = regexp.MustCompile(`^(?:\{\{\s*\$((?:inputs|steps)\.[^{}\s]+)\s*\}\}|((?:inputs|steps\.[A-Za-z0-9_-]+\.outputs)\.[A-Za-z0-9_-]+))$`)

// dressed reports such a text, where what it names is declared.
func (l *lookalikes) dressed(n *arazzo.Node) {
	at := dressedExpression.FindStringSubmatch(n.Text)
	if at == nil || n == l.payload {
		return
	}
	meant := "$" + at[1] + at[2]
	e, err := expression.Parse(meant, l.names)
	if err != nil || !l.names.Declare(e) {
		return
	}
	sent := "is sent as it is, it is no expression"
	if at[1] != "" {
		sent = "is sent with a brace on either side"
	}
	l.pass.Report(lint.Finding{
		At:      lint.At(n),
		Message: fmt.Sprintf("%s %s; did you mean %s?", quote(n.Text), sent, meant),
		Fixes:   l.pass.Write(n, meant, "write "+meant),
	})
}

// isBareJSON tells whether a place in a text is within JSON and not between
// quotes there: what is embedded would have to be JSON itself.
func isBareJSON(text string, at int) bool {
	trimmed := strings.TrimSpace(text)
	return strings.ContainsAny(trimmed[:1], "{[") && strings.Count(text[:at], `"`)%2 == 0
}
