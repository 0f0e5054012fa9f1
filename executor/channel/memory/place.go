package memory

import (
	"slices"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// place is one address with all that concerns it.
type place struct {
	at    channel.Place
	only  *box // that of an address of a run's own
	forms []form
	known channel.Known
	// where lists the places in messages at which some run expects a value, and
	// identities those of identities. They only grow.
	where, identityAt []executor.Locator
	expected          map[string][]*expecting // by lookup key
	identities        map[string]*entry       // by identity key
	unmatched         map[string][]*unmatched // by lookup key, in the order of arrival
	unmatchedByID     map[string]*unmatched   // by native identity
	unmatchedCount    int
	refused           []stray // the latest
}

// form is what boxes at one place say to receivers, with how many say it.
type form struct {
	mailbox executor.Mailbox
	uses    int
}

// stray is a message that was refused.
type stray struct {
	order   int64
	refused channel.Refused
}

func newPlace(at channel.Place) *place {
	return &place{
		at: at, expected: map[string][]*expecting{}, identities: map[string]*entry{},
		unmatched: map[string][]*unmatched{}, unmatchedByID: map[string]*unmatched{},
	}
}

// scoped tells what is known of an address of a run's own.
func (p *place) scoped(rest []string) channel.Known {
	known := p.known
	known.Gone = p.only.run.ended
	if address := p.only.mailbox.Address; address != "" {
		known.Path, _ = channel.ParseTemplate(address).Match(rest)
	}
	return known
}

// declare makes a box's form known for good.
func (p *place) declare(box executor.Mailbox) {
	for _, f := range p.forms {
		if f.uses < 0 && sameForm(f.mailbox, box) {
			return
		}
	}
	p.forms = append([]form{{mailbox: box, uses: -1}}, p.forms...)
	p.tell()
}

// attach makes a run's box known until it is detached.
func (p *place) attach(box executor.Mailbox) {
	for i := range p.forms {
		if f := &p.forms[i]; f.uses > 0 && sameForm(f.mailbox, box) {
			f.uses++
			return
		}
	}
	p.forms = append(p.forms, form{mailbox: box, uses: 1})
	p.tell()
}

func (p *place) detach(box executor.Mailbox) {
	for i := range p.forms {
		if f := &p.forms[i]; f.uses > 0 && sameForm(f.mailbox, box) {
			if f.uses--; f.uses == 0 {
				p.forms = slices.Delete(p.forms, i, i+1)
				p.tell()
			}
			return
		}
	}
}

// tell works out what receivers are told.
func (p *place) tell() {
	boxes := make([]executor.Mailbox, len(p.forms))
	for i, f := range p.forms {
		boxes[i] = f.mailbox
	}
	p.known = p.at.Known(boxes)
}

func sameForm(a, b executor.Mailbox) bool {
	return a.Source == b.Source && a.Method == b.Method && a.Status == b.Status && a.Address == b.Address && slices.Equal(a.ContentTypes, b.ContentTypes)
}

// empty tells that nothing concerns the place any more.
func (p *place) empty() bool { return len(p.forms) == 0 && p.unmatchedCount == 0 }

// repeat finds the message of a run that a message repeats, and counts it.
func (p *place) repeat(r *reading) (channel.Kept, bool) {
	for _, key := range r.identityKeys(p.identityAt) {
		if e := p.identities[key]; e != nil {
			return e.repeat(r.digest), true
		}
	}
	return channel.Kept{}, false
}

// candidates lists who expects a message.
func (p *place) candidates(r *reading) []*expecting {
	var found []*expecting
	for _, where := range p.where {
		for _, key := range r.keys(where) {
			found = append(found, p.expected[key]...)
		}
	}
	return found
}

// choose gives whom a message goes to; nil: nobody.
func choose(found []*expecting) *expecting {
	candidates := make([]channel.Candidate, len(found))
	for i, x := range found {
		r := x.box.run
		candidates[i] = channel.Candidate{Order: r.order, Standing: r.standing()}
	}
	if i := channel.Choose(candidates); i >= 0 {
		return found[i]
	}
	return nil
}

// reading is a message with what was read of it so far, so that each place in it is
// read once. It is used by one goroutine.
type reading struct {
	message *executor.Message
	digest  channel.Digest
	lookups map[string][]string
	ids     map[string]identified
}

// identified is an identity with the key under which it is looked up.
type identified struct{ identity, key string }

func newReading(m *executor.Message) *reading {
	return &reading{message: m, digest: channel.DigestOf(m), lookups: map[string][]string{}, ids: map[string]identified{}}
}

func (r *reading) keys(where executor.Locator) []string {
	keys, ok := r.lookups[where.String()]
	if !ok {
		keys = channel.ArrivedKeys(where, r.message)
		r.lookups[where.String()] = keys
	}
	return keys
}

// identityKeys gives the keys of all identities that the message may have.
func (r *reading) identityKeys(places []executor.Locator) []string {
	if r.message.Identity != "" {
		places = []executor.Locator{{}}
	}
	var keys []string
	for _, where := range places {
		if id := r.identifiedAt(where); id.key != "" {
			keys = append(keys, id.key)
		}
	}
	return keys
}

// identity gives the identity of the message and its key: the native one, else the one
// at the first of the places that has any.
func (r *reading) identity(places []executor.Locator) (identity, key string) {
	if r.message.Identity != "" {
		places = []executor.Locator{{}}
	}
	for _, where := range places {
		if id := r.identifiedAt(where); id.key != "" {
			return id.identity, id.key
		}
	}
	return "", ""
}

func (r *reading) identifiedAt(where executor.Locator) identified {
	id, ok := r.ids[where.String()]
	if !ok {
		id.identity, id.key = channel.IdentityFor(r.message, where)
		r.ids[where.String()] = id
	}
	return id
}

// with adds a locator to a list that does not have it yet.
func with(list []executor.Locator, l executor.Locator) ([]executor.Locator, bool) {
	same := func(other executor.Locator) bool { return other.String() == l.String() }
	if l.IsZero() || slices.ContainsFunc(list, same) {
		return list, false
	}
	return append(list, l), true
}
