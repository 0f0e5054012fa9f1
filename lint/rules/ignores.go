package rules

import "github.com/weft-flow/weft/lint"

// ignoreRules are about the comments by which a document ignores findings. The
// linter itself finds what they report, when all else is found.
func ignoreRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: lint.RuleIgnoreForm, Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A comment that is to ignore a finding names no rule, one that does not exist, or gives no reason.",
			Why: "Without a reason nobody knows later whether the finding may still be ignored. Such a comment ignores " +
				"nothing: the finding is reported as well.",
			Avoid:  "# weft-ignore: retry-bounded\nretryLimit: 50\n",
			Prefer: "# weft-ignore: retry-bounded -- the payment provider asks for it\nretryLimit: 50\n",
		},
		{
			Name: lint.RuleIgnoreUnused, Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A comment ignores a rule that reports nothing there.",
			Why: "What it was written for is mended, or stands elsewhere now; it would hide the next finding. It is not " +
				"reported where the document could not be checked completely.",
			Avoid:  "# weft-ignore: retry-bounded -- the payment provider asks for it\nretryLimit: 5\n",
			Prefer: "retryLimit: 5\n",
		},
	}
}
