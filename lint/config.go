package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/internal/spelling"
)

// Preset says how severe the findings of rules are that the configuration does not
// name.
type Preset string

// The presets.
const (
	// Recommended takes every finding as its rule has it. The outputs for people
	// leave hints out: see Result.AtLeast.
	Recommended Preset = "recommended"
	// Strict makes warnings of hints.
	Strict Preset = "strict"
	// Minimal keeps errors alone.
	Minimal Preset = "minimal"
)

// Presets lists the presets; the first is the default.
func Presets() []Preset { return []Preset{Recommended, Strict, Minimal} }

// Config is what a user wants of the rules. The zero Config is the preset
// Recommended, and nothing besides.
type Config struct {
	Preset Preset // empty: Recommended
	// Rules says how severe all findings of a rule are, by its name, whatever the
	// preset says; and what the options of the rule are.
	Rules map[string]RuleConfig
	// Ignore names files of which rules say nothing.
	Ignore []Ignore
	// Base is the folder that the paths of Ignore start from; empty: the working
	// directory.
	Base string
	// APIs is what is said of the sources, by their names.
	APIs map[string]API
}

// RuleConfig is what a Config says of one rule.
type RuleConfig struct {
	Severity Severity       // zero: as the preset says
	Off      bool           // nothing is reported
	Options  map[string]int // by the name of an Option
	Where    string         // for messages, the place where it is written; may be empty
	// OptionsWhere are for messages the places where options are written, by name; what
	// has none is told at Where.
	OptionsWhere map[string]string
}

// whereOf gives the place of an option.
func (c *RuleConfig) whereOf(option string) string {
	if where := c.OptionsWhere[option]; where != "" {
		return where
	}
	return c.Where
}

// Ignore names files of which rules say nothing.
type Ignore struct {
	// Path is a pattern for paths below Config.Base, with / between names: * stands
	// for any characters of a name, ? for one, [a-c] for one of some, ** for any
	// number of folders. A folder stands for all that lies in it.
	Path  string
	Rules []string // empty: all
	Where string   // for messages, the place where it is written; may be empty
}

// ConfigFault is one thing of a configuration that does not suit the rules.
type ConfigFault struct {
	Where   string // the place where it is written; empty where that is not known
	Message string
}

// Error gives the fault with its place.
func (f ConfigFault) Error() string {
	if f.Where == "" {
		return f.Message
	}
	return f.Where + ": " + f.Message
}

// Check gives an error for each rule and each option that there is not, and for
// each pattern that cannot be read.
func (c Config) Check(rules []Rule) error {
	var errs []error
	for _, f := range c.Faults(rules) {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// Faults lists what Check gives as one error.
func (c Config) Faults(rules []Rule) []ConfigFault {
	k := configCheck{known: make(map[string]Rule, len(rules))}
	for _, r := range rules {
		k.known[r.Name] = r
		k.names = append(k.names, r.Name)
	}
	if c.Preset != "" && !slices.Contains(Presets(), c.Preset) {
		k.fault("", "there is no preset %q", c.Preset)
	}
	for _, name := range sortedKeys(c.Rules) {
		k.rule(name, c.Rules[name])
	}
	for _, i := range c.Ignore {
		if _, err := compileGlob(i.Path); err != nil {
			k.fault(i.Where, "%v", err)
		}
		for _, name := range i.Rules {
			k.exists(name, i.Where)
		}
	}
	return k.faults
}

type configCheck struct {
	known  map[string]Rule
	names  []string
	faults []ConfigFault
}

func (k *configCheck) fault(where, format string, arguments ...any) {
	k.faults = append(k.faults, ConfigFault{where, fmt.Sprintf(format, arguments...)})
}

func (k *configCheck) exists(name, where string) bool {
	if _, ok := k.known[name]; ok {
		return true
	}
	k.fault(where, "%s", noRule(name, k.names))
	return false
}

func (k *configCheck) rule(name string, c RuleConfig) {
	if !k.exists(name, c.Where) {
		return
	}
	var options []string
	for _, o := range k.known[name].Options {
		options = append(options, o.Name)
	}
	for _, option := range sortedKeys(c.Options) {
		switch {
		case !slices.Contains(options, option):
			k.fault(c.whereOf(option), "rule %s has no option %q%s", name, option, DidYouMean(option, options, "its options"))
		case c.Options[option] < 0:
			k.fault(c.whereOf(option), "the option %s of rule %s must not be negative", option, name)
		}
	}
}

// noRule tells that there is no rule of a name. A list of all would be too long to
// be of use.
func noRule(name string, names []string) string {
	if near, ok := spelling.Nearest(name, names); ok {
		return fmt.Sprintf("there is no rule %q; did you mean %s?", name, near)
	}
	return fmt.Sprintf("there is no rule %q", name)
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// severity gives how severe a finding is under the configuration; 0: it is not
// reported.
func (c *Config) severity(d *Diagnostic) Severity {
	if said, ok := c.Rules[d.Rule]; ok && (said.Off || said.Severity != 0) {
		if said.Off {
			return 0
		}
		return said.Severity
	}
	switch {
	case c.Preset == Strict && d.Severity == Hint:
		return Warn
	case c.Preset == Minimal && d.Severity < Error:
		return 0
	default:
		return d.Severity
	}
}

// option gives the value of an option of a rule.
func (c *Config) option(r *Rule, name string) int {
	if n, ok := c.Rules[r.Name].Options[name]; ok {
		return n
	}
	for _, o := range r.Options {
		if o.Name == name {
			return o.Default
		}
	}
	return 0
}

// ignored tells of a file which rules say nothing of it.
func (c *Config) ignored(path string) ignoredRules {
	var out ignoredRules
	if len(c.Ignore) == 0 {
		return out
	}
	below := pathBelow(c.Base, path)
	for _, i := range c.Ignore {
		glob, err := compileGlob(i.Path)
		if err != nil || !glob.MatchString(below) {
			continue
		}
		if len(i.Rules) == 0 {
			out.all = true
		}
		out.rules = append(out.rules, i.Rules...)
	}
	return out
}

// ignoredRules are rules that say nothing of a file.
type ignoredRules struct {
	all   bool
	rules []string
}

func (i ignoredRules) has(rule string) bool { return i.all || slices.Contains(i.rules, rule) }

// Option is a number by which a rule can be set.
type Option struct {
	Name    string
	Default int
	Meaning string // a phrase, with its unit: "the greatest number of retries that is not reported"
}

// String gives the option as documentation lists it.
func (o Option) String() string {
	return fmt.Sprintf("%s: %s (%d)", o.Name, strings.TrimSuffix(o.Meaning, "."), o.Default)
}
