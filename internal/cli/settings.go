package cli

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/config"
)

// settings are the flags and weft.yaml together: a flag wins.
type settings struct {
	executor  executor.Config
	failOn    string
	maxBody   int64
	file      *config.Config // nil: there is none
	secrets   []string       // of the file
	played    *playedAPIs    // nil: none; else credentials and proxies stay out
	receiving receiving
}

// settingsFor gives the settings under which a document is run. Its faults are
// told here; the error then only says so.
func (f *runFlags) settingsFor(d document, stdio Stdio) (settings, error) {
	file, err := f.readConfig(d, stdio)
	if err != nil {
		return settings{}, err
	}
	servers, err := parseServers(f.servers)
	if err != nil {
		return settings{}, err
	}
	maxBody, err := config.ParseSize(f.maxBody)
	if err != nil {
		return settings{}, usage("--max-body: %w", err)
	}
	s := settings{file: file, failOn: f.failOn, receiving: f.receiving, maxBody: maxBody, executor: executor.Config{
		Servers: servers, StepTimeout: f.stepTimeout, Timeout: f.timeout, MaxSteps: f.maxSteps,
		UnsafeRetry: f.unsafeRetry == "allow", Tenant: f.tenant, Jitter: f.jitter, Linger: f.receiving.linger,
		Contract: executor.ContractMode(f.contract), Sources: map[string]executor.SourceConfig{},
	}}
	if file != nil {
		s.merge(file, f.changed)
	}
	return s, nil
}

// readConfig reads the file that was named, else the one that stands nearest
// above the document.
func (f *runFlags) readConfig(d document, stdio Stdio) (*config.Config, error) {
	path := f.configFile
	if path == "" {
		if strings.Contains(d.path, "://") {
			return nil, nil
		}
		found, ok := config.Find(filepath.Dir(d.path))
		if !ok {
			return nil, nil
		}
		path = found
	}
	file, faults, err := config.Load(path)
	if err != nil {
		return nil, usage("%w", err)
	}
	if len(faults) == 0 {
		return file, nil
	}
	return nil, tellAll(stdio.Err, path, faults)
}

// merge takes from the file what no flag says.
func (s *settings) merge(file *config.Config, changed func(flag string) bool) {
	run := file.Run
	take(changed("step-timeout"), run.StepTimeout, &s.executor.StepTimeout)
	take(changed("timeout"), run.Timeout, &s.executor.Timeout)
	take(changed("max-steps"), run.MaxSteps, &s.executor.MaxSteps)
	take(changed("jitter"), run.Jitter, &s.executor.Jitter)
	take(changed("tenant"), run.Tenant, &s.executor.Tenant)
	take(changed("linger"), run.Linger, &s.executor.Linger)
	take(changed("listen"), run.Listen, &s.receiving.listen)
	if !changed("mock") {
		take(changed("callback-url"), run.CallbackURL, &s.receiving.callbackURL)
	}
	take(changed("max-body"), run.MaxBody, &s.maxBody)
	take(changed("fail-on"), run.FailOn, &s.failOn)
	contract, unsafe := string(s.executor.Contract), ""
	take(changed("contract"), run.Contract, &contract)
	take(changed("unsafe-retry"), run.UnsafeRetry, &unsafe)
	s.executor.Contract = executor.ContractMode(contract)
	if unsafe != "" {
		s.executor.UnsafeRetry = unsafe == "allow"
	}
	s.secrets = slices.Clone(file.Secrets)
	s.mergeSources(file)
}

func take[T any](isSet bool, from config.Setting[T], to *T) {
	if !isSet {
		*to = from.Or(*to)
	}
}

func (s *settings) mergeSources(file *config.Config) {
	if _, named := s.executor.Servers[""]; file.Run.Server.Given && !named {
		s.executor.Servers[""] = file.Run.Server.Value
	}
	for _, name := range slices.Sorted(maps.Keys(file.Sources)) {
		from := file.Sources[name]
		if _, named := s.executor.Servers[name]; from.Server.Given && !named {
			s.executor.Servers[name] = from.Server.Value
		}
		known := executor.SourceConfig{Profile: from.Idempotency, Effects: map[string]string{}, Variables: from.Variables}
		for operation, effect := range from.Effects {
			known.Effects[operation] = effect.Value
		}
		s.executor.Sources[name] = known
	}
}

// against points all requests at a mock, without credentials.
func (s settings) against(played *playedAPIs) settings {
	s.executor.Servers, s.played = played.servers, played
	return s
}

// errNoServer tells that a client certificate has no server that it is for.
var errNoServer = errors.New("clientCertificate needs a server: name it in weft.yaml or with --server")
