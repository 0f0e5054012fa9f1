package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/internal/config"
	"github.com/weft-flow/weft/internal/server"
	"github.com/weft-flow/weft/lint"
)

// served are the documents of a weft serve.
type served struct {
	jobs      []*job // one for each document
	documents []server.Document
}

// load reads and compiles all documents. What is wrong with them is told.
func (f *serveFlags) load(ctx context.Context, paths []string, stdio Stdio) (*served, error) {
	files, err := arazzoFiles(paths)
	if err != nil {
		return nil, err
	}
	loader := f.run.sources.loader()
	documents, refused := readDocuments(ctx, loader, files, stdio)
	ok, s := len(refused) == 0, &served{}
	for _, d := range documents {
		good, err := f.add(ctx, s, loader, d, documents, stdio)
		if err != nil {
			return nil, err
		}
		ok = ok && good
	}
	if !ok {
		return nil, &exitError{code: exitUsage}
	}
	return s, f.checkServers(s.jobs)
}

// arazzoFiles gives the files that paths name, and the Arazzo documents in directories.
func arazzoFiles(paths []string) ([]string, error) {
	inputs, missing := lint.Find(paths)
	if missing != nil {
		return nil, usage("%s", strings.ReplaceAll(missing.Error(), "lint: read ", "read "))
	}
	var files []string
	for _, in := range inputs {
		if in.Found {
			data, err := os.ReadFile(in.Path)
			if err != nil {
				return nil, usage("%w", err)
			}
			if in.Passed(data) {
				continue
			}
		}
		files = append(files, in.Path)
	}
	if len(files) == 0 {
		return nil, usage("there is no Arazzo document (.yaml, .yml or .json) in %s", strings.Join(paths, ", "))
	}
	return files, nil
}

// add makes one document ready to be served; false where it cannot be, which is told.
func (f *serveFlags) add(ctx context.Context, s *served, loader *source.Loader, d document, all []document, stdio Stdio) (bool, error) {
	set, refused := loadSources(ctx, loader, d, stdio)
	if len(refused) > 0 {
		return false, nil
	}
	settings, err := f.run.settingsFor(d, stdio)
	if err == nil {
		err = settings.unambiguous(set)
	}
	if err != nil {
		return false, err
	}
	settings.executor = f.run.durableConfig(settings)
	plan, refusals := executor.Compile(set, nil, settings.executor)
	for _, r := range refusals {
		fmt.Fprintln(stdio.Err, r.Error())
	}
	if len(refusals) > 0 {
		return false, nil
	}
	if _, err := settings.lines(set); err != nil {
		return false, err // a credential that is wrong is told now, and not by the first run
	}
	bundle, err := f.bundle(ctx, d, all)
	if err != nil {
		return false, err
	}
	s.jobs = append(s.jobs, &job{path: d.path, set: set, plan: plan, settings: settings})
	s.documents = append(s.documents, server.Document{
		Name: filepath.ToSlash(d.path), Bundle: bundle, Config: settings.executor, Plan: plan,
	})
	return true, nil
}

// bundle gathers what a document is made of. Other documents are known to it by an
// identity of their own; those without one it names by their place.
func (f *serveFlags) bundle(ctx context.Context, d document, all []document) (*durable.Bundle, error) {
	recorder := &durable.Recorder{}
	options := f.run.sources.options()
	options.Through = recorder.Read
	loader := source.NewLoader(options)
	var also []string
	for _, other := range all {
		if other.path != d.path && !other.model.Self.Present() {
			continue
		}
		model, location, _, err := loader.LoadDocument(ctx, other.path)
		if err != nil {
			return nil, usage("%w", err)
		}
		loader.Register(model, location)
		if other.path != d.path {
			also = append(also, location)
			continue
		}
		d.model, d.location = model, location
	}
	if _, problems := loader.Load(ctx, d.model, d.location); len(problems) > 0 {
		return nil, usage("%s: %s", d.path, problems[0].Message)
	}
	return recorder.Bundle(d.path, d.location, also...), nil
}

// checkServers refuses a server for a source that no document has.
func (f *serveFlags) checkServers(jobs []*job) error {
	servers, err := parseServers(f.run.servers)
	if err != nil {
		return err
	}
	for name := range servers {
		if err := meansSource(name, jobs); err != nil {
			return usage("--server: %w", err)
		}
	}
	return nil
}

// messages gives the settings of the messages that the documents receive.
func (s *served) messages() (webhook.Options, error) {
	options := webhook.Options{Sources: map[string]webhook.Source{}}
	for _, j := range s.jobs {
		if err := mergeSenders(options.Sources, j); err != nil {
			return options, err
		}
	}
	return options, nil
}

// tokens gives the tokens of the one file that has them: the one that was named, else
// the weft.yaml of a document or the one that is in force where the process was started.
func (s *served) tokens(named string, stdio Stdio) ([]server.Token, error) {
	files := map[string]*config.Config{}
	for _, j := range s.jobs {
		if j.settings.file != nil {
			files[j.settings.file.Path] = j.settings.file
		}
	}
	if path, found := config.Find("."); named == "" && found && files[path] == nil {
		here, err := (&runFlags{configFile: path}).readConfig(document{}, stdio)
		if err != nil {
			return nil, err
		}
		files[path] = here
	}
	var from *config.Config
	for _, file := range files {
		switch {
		case !file.Serve.Given():
		case from != nil && from.Path != file.Path:
			return nil, usage("%s and %s both have the section serve: say it in one of them", min(from.Path, file.Path), max(from.Path, file.Path))
		default:
			from = file
		}
	}
	if from == nil {
		return nil, nil
	}
	if err := from.Serve.Err(); err != nil {
		return nil, usage("%w", err)
	}
	tokens := make([]server.Token, len(from.Serve.Tokens))
	for i, t := range from.Serve.Tokens {
		tokens[i] = server.Token{Name: t.Name, Secret: t.Token, Tenant: t.Tenant}
		for _, right := range t.Rights {
			tokens[i].Rights = append(tokens[i].Rights, server.Right(right))
		}
	}
	return tokens, nil
}

// mayListen refuses to be open to other machines without tokens.
func mayListen(address string, tokens []server.Token) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usage("--listen %s: expected HOST:PORT", address)
	}
	ip, err := netip.ParseAddr(host)
	if len(tokens) > 0 || host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return usage("--listen %s: other machines could start runs, and anybody on them: name who may in weft.yaml (serve.tokens), or listen on 127.0.0.1", address)
}

// errTraces tells that traces cannot be exported.
var errTraces = errors.New("export traces (OTEL_EXPORTER_OTLP_ENDPOINT)")
