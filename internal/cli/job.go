package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/internal/config"
)

// runAll gets all files ready, then runs them.
func (s *session) runAll(loader *source.Loader, paths []string) int {
	documents, refused := readDocuments(s.ctx, loader, paths, s.stdio)
	code := exitOK
	if len(refused) > 0 {
		code = s.refuse(refused...)
	}
	chosen, err := s.choose(documents)
	if err != nil && code == exitOK { // a file that was not read may have it
		return s.tell(err)
	}
	var jobs []*job
	for _, d := range chosen {
		j, refused := s.prepare(loader, d)
		if j != nil {
			defer j.end()
			jobs = append(jobs, j)
		}
		code = worse(code, refused)
	}
	if s.pressed() {
		return exitInterrupted
	}
	if code == exitOK {
		code = s.checkServers(jobs)
	}
	if code != exitOK {
		return code
	}
	for _, open := range []func([]*job) error{s.openReceiver, s.openDurable} {
		err := open(jobs)
		switch {
		case err != nil && s.pressed() && s.ctx.Err() != nil:
			return exitInterrupted
		case err != nil:
			return s.tell(err)
		}
	}
	for _, j := range jobs {
		code = worse(code, s.run(j))
	}
	return code
}

// choose gives the documents that are run: with -w those that have a workflow of that
// name, while the others are only known to them.
func (s *session) choose(documents []document) ([]document, error) {
	if len(documents) < 2 || len(s.flags.workflows) == 0 {
		for i := range documents {
			documents[i].workflows = s.flags.workflows
		}
		return documents, nil
	}
	var chosen []document
	found := map[string]bool{}
	for _, d := range documents {
		for _, id := range s.flags.workflows {
			if d.model.Workflow(id) != nil {
				d.workflows, found[id] = append(d.workflows, id), true
			}
		}
		if len(d.workflows) > 0 {
			chosen = append(chosen, d)
		}
	}
	for _, id := range s.flags.workflows {
		if !found[id] {
			return nil, usage("-w %s: no file of the command line has a workflow of that name", id)
		}
	}
	return chosen, nil
}

// checkServers refuses a server for a source that no document has: a mistyped name
// would leave the server of the description in force.
func (s *session) checkServers(jobs []*job) int {
	servers, err := parseServers(s.flags.servers)
	if err != nil {
		return s.tell(err)
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if err := meansSource(name, jobs); err != nil {
			return s.tell(usage("--server: %w", err))
		}
	}
	return exitOK
}

// meansSource tells why a name means no source of the documents. An empty one means
// them all.
func meansSource(name string, jobs []*job) error {
	var all, ambiguous []string
	for _, j := range jobs {
		names := source.NamesOf(j.set)
		if name == "" || names.Meant(name) {
			return nil
		}
		all, ambiguous = append(all, names.All()...), append(ambiguous, names.Ambiguous(name)...)
	}
	if len(ambiguous) > 0 {
		return fmt.Errorf("%q may mean each of %s; say which", name, strings.Join(ambiguous, ", "))
	}
	slices.Sort(all)
	return fmt.Errorf("there is no source %q; there are %s", name, strings.Join(slices.Compact(all), ", "))
}

// unambiguous refuses a name of weft.yaml that may mean several sources of the
// document: what is for one of them, a credential say, must not go to the others.
func (s settings) unambiguous(set *source.Set) error {
	if s.file == nil {
		return nil
	}
	names := source.NamesOf(set)
	for _, name := range slices.Sorted(maps.Keys(s.file.Sources)) {
		if all := names.Ambiguous(name); len(all) > 0 {
			return usage("%s: sources.%s may mean each of %s; say which", s.file.Sources[name].Place, name, strings.Join(all, ", "))
		}
	}
	return nil
}

// job is one document, ready to be run: nothing that can be known before is wrong.
type job struct {
	path     string
	chosen   []string // with -w: the workflows that are run
	set      *source.Set
	plan     *executor.Plan
	inputs   value.Value
	secrets  []string
	settings settings
	gear     gear
	played   *playedAPIs // nil: no mock
}

// prepare makes a document ready to be run. What is wrong with it is told; the
// code is then not exitOK.
func (s *session) prepare(loader *source.Loader, d document) (*job, int) {
	set, refused := loadSources(s.ctx, loader, d, s.stdio)
	if len(refused) > 0 {
		return nil, s.refuse(refused...)
	}
	settings, err := s.flags.settingsFor(d, s.stdio)
	if err == nil {
		err = settings.unambiguous(set)
	}
	if err != nil {
		return nil, s.tellOf(d.path, err)
	}
	s.logDocument(d, set, settings)
	j := &job{path: d.path, chosen: d.workflows, set: set, settings: settings}
	if err := s.startMock(j); err != nil {
		return nil, s.tellOf(d.path, err)
	}
	plan, refusals := executor.Compile(set, d.workflows, j.settings.executor)
	for _, r := range refusals {
		fmt.Fprintln(s.stdio.Err, r.Error())
	}
	if len(refusals) > 0 {
		return j, s.refuseIn(d.path, refusals)
	}
	j.plan = plan
	env := &config.Environment{}
	if j.inputs, err = s.flags.inputs.read(plan, s.stdio.In, env); err == nil {
		if fault := plan.CheckInputs(j.inputs); fault != nil {
			err = &exitError{code: exitUsage, err: fault}
		}
	}
	if err == nil {
		j.secrets = slices.Concat(settings.secrets, env.Secrets())
		j.gear, err = j.settings.equip(set, s.budget)
	}
	if err != nil {
		return j, s.tellOf(d.path, err)
	}
	return j, exitOK
}

// startMock plays the APIs of a document where that is asked for.
func (s *session) startMock(j *job) error {
	if !s.flags.mock {
		return nil
	}
	faults, err := readFaults(s.flags.faults, s.stdio)
	if err != nil {
		return err
	}
	if j.played, err = startMock(sim.Sources(j.set, j.settings.executor), faults, s.stdio); err != nil {
		return err
	}
	j.settings = j.settings.against(j.played)
	if faults.Needs().Webhooks && j.settings.executor.Linger == 0 && !s.flags.changed("linger") {
		j.settings.executor.Linger = faultLinger
	}
	return nil
}

// end closes what was opened for a job.
func (j *job) end() {
	if j.gear.runtime != nil {
		j.gear.runtime.Close()
	}
	if j.played != nil {
		j.played.stop()
	}
}
