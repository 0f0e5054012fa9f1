package cli

import (
	"fmt"
	"path/filepath"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/config"
	"github.com/weft-flow/weft/lint"
)

// configReader gives each document the configuration that holds for it.
type configReader struct {
	named string // the file that holds for all; empty: the nearest of each
	rules []lint.Rule
	stdio Stdio

	byFolder map[string]*lint.Config // nil: there is none
	byFile   map[string]*lint.Config
}

// configure finds the configurations of inputs and checks them. Their faults are
// told here; the error then only says so.
func (r *configReader) configure(inputs []lint.Input) error {
	r.byFolder, r.byFile = make(map[string]*lint.Config), make(map[string]*lint.Config)
	if r.named != "" {
		c, err := r.read(r.named)
		for i := range inputs {
			inputs[i].Config = c
		}
		return err
	}
	for i := range inputs {
		folder := filepath.Dir(inputs[i].Path)
		c, known := r.byFolder[folder]
		if !known {
			if path, ok := config.Find(folder); ok {
				var err error
				if c, err = r.read(path); err != nil {
					return err
				}
			}
			r.byFolder[folder] = c
		}
		inputs[i].Config = c
	}
	return nil
}

// read reads one file, once.
func (r *configReader) read(path string) (*lint.Config, error) {
	if c, known := r.byFile[path]; known {
		return c, nil
	}
	file, faults, err := config.Load(path)
	if err != nil {
		return nil, usage("%w", err)
	}
	c, wrong := lintConfigOf(file)
	for _, f := range faults {
		if !f.Unset { // a linter needs no credentials
			wrong = append(wrong, f)
		}
	}
	wrong = append(wrong, ofRules(file, c.Faults(r.rules))...)
	if len(wrong) > 0 {
		config.SortFaults(wrong)
		return nil, tellAll(r.stdio.Err, path, wrong)
	}
	r.byFile[path] = c
	return c, nil
}

// ofRules gives what does not suit the rules as faults of the file that says it.
func ofRules(file *config.Config, faults []lint.ConfigFault) []config.Fault {
	places := make(map[string]config.Place)
	for _, said := range file.Lint.Rules {
		places[said.Place.String()] = said.Place
		for _, place := range said.Places {
			places[place.String()] = place
		}
	}
	for _, i := range file.Lint.Ignore {
		places[i.Place.String()] = i.Place
	}
	var out []config.Fault
	for _, f := range faults {
		out = append(out, config.Fault{Place: places[f.Where], Message: f.Message})
	}
	return out
}

// lintConfigOf gives what a file says to the linter, and what is wrong with its
// options.
func lintConfigOf(file *config.Config) (*lint.Config, []config.Fault) {
	c := &lint.Config{
		Preset: lint.Preset(file.Lint.Extends.Value), Base: filepath.Dir(file.Path),
		Rules: make(map[string]lint.RuleConfig, len(file.Lint.Rules)), APIs: make(map[string]lint.API, len(file.Sources)),
	}
	var wrong []config.Fault
	for name, said := range file.Lint.Rules {
		rule := lint.RuleConfig{Where: said.Place.String(), Off: said.Severity.Value == "off"}
		rule.Severity, _ = lint.ParseSeverity(said.Severity.Value)
		rule.OptionsWhere = make(map[string]string, len(said.Places))
		for option, place := range said.Places {
			rule.OptionsWhere[option] = place.String()
		}
		var faults []config.Fault
		rule.Options, faults = optionsOf(name, said)
		wrong = append(wrong, faults...)
		c.Rules[name] = rule
	}
	for _, i := range file.Lint.Ignore {
		c.Ignore = append(c.Ignore, lint.Ignore{Path: i.Path, Rules: i.Rules, Where: i.Place.String()})
	}
	for name, from := range file.Sources {
		api := lint.API{Profile: from.Idempotency, Effects: make(map[string]string, len(from.Effects))}
		for operation, effect := range from.Effects {
			api.Effects[operation] = effect.Value
		}
		c.APIs[name] = api
	}
	return c, wrong
}

// optionsOf reads the options of a rule: whole numbers, all of them.
func optionsOf(name string, said config.Rule) (options map[string]int, wrong []config.Fault) {
	if said.Options.Kind() != value.KindObject {
		return nil, nil
	}
	options = make(map[string]int)
	for _, m := range said.Options.Members() {
		n, ok := m.Value.Int64()
		if !ok || n != int64(int(n)) {
			wrong = append(wrong, config.Fault{Place: said.Places[m.Name], Message: fmt.Sprintf("the option %s of rule %s must be a whole number", m.Name, name)})
			continue
		}
		options[m.Name] = int(n)
	}
	return options, wrong
}
