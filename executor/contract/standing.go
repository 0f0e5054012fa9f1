package contract

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// standing is what a state says of whether something is decided.
type standing uint8

const (
	unsaid standing = iota // there is no state
	undecided
	decidedBadly
	decidedWell
)

// String names the standing.
func (s standing) String() string {
	return [...]string{"", "undecided", "badly", "well"}[s]
}

var (
	undecidedWords = []string{
		"pending", "processing", "inprogress", "inprocess", "queued", "submitted", "initiated", "running", "requested", "inflight", "waiting",
		"underway", "unconfirmed", "inreview",
	}
	badWords = []string{
		"failed", "failure", "declined", "rejected", "refused", "error", "denied", "bounced", "returned", "unsuccessful", "aborted",
	}
	// doneWords tell of an end that is not a state to be in.
	doneWords = []string{"succeeded", "success", "successful", "completed", "complete", "done", "finished", "ok", "passed"}
	// waitingWords say within others that something goes on: PENDING_REVIEW, AWAITING_PAYMENT.
	waitingWords = []string{"pending", "awaiting", "waiting", "processing", "queued"}
	// stateNames are in the names of members that say how something stands.
	stateNames = []string{"status", "state", "phase", "stage", "progress"}
	// lastingWords end like what goes on, and last.
	lastingWords = []string{"running", "existing", "missing", "trialing", "outstanding", "incoming", "outgoing", "shipping", "billing"}
)

// standingOf reads a state.
func standingOf(text string) standing {
	word := plainWord(text)
	switch {
	case word == "":
		return unsaid
	case slices.Contains(undecidedWords, word):
		return undecided
	case slices.Contains(badWords, word):
		return decidedBadly
	}
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
	switch {
	case containsAny(parts, badWords):
		return decidedBadly
	case containsAny(parts, waitingWords):
		return undecided
	}
	return decidedWell
}

func plainWord(text string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(text))
}

func containsAny(parts, words []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
}

// standingOf reads a state beside the others that there are: what is RUNNING goes on where
// something can be done as well, and is up where it can only stop or fail. What a state calls
// PROVISIONING goes on.
func (p statePlace) standingOf(text string) standing {
	has := func(words []string) bool {
		return slices.ContainsFunc(p.words, func(v value.Value) bool { return slices.Contains(words, plainWord(v.Text())) })
	}
	switch word := plainWord(text); {
	case word == "running" && !has(doneWords):
		return decidedWell
	case strings.HasSuffix(word, "ing") && !slices.Contains(lastingWords, word) && (p.isNamedState() || has(badWords)):
		return undecided
	}
	return standingOf(text)
}

// isNamedState tells whether the place has the name of a state.
func (p statePlace) isNamedState() bool {
	name := strings.ToLower(p.at[len(p.at)-1])
	return slices.ContainsFunc(stateNames, func(part string) bool { return strings.Contains(name, part) })
}

// statePlace is a place in a body where the description says how something stands: one of
// a few words, some of which say that it goes on, or that it went wrong.
type statePlace struct {
	at    value.Pointer
	words []value.Value
}

// first gives the first of the words that says such a thing; absent: none does.
func (p statePlace) first(want standing) value.Value {
	for _, w := range p.words {
		if p.standingOf(w.Text()) == want {
			return w
		}
	}
	return value.Absent
}

// mayFail tells whether a place can say that it went wrong.
func mayFail(places []statePlace) bool {
	return slices.ContainsFunc(places, func(p statePlace) bool { return !p.first(decidedBadly).IsAbsent() })
}

// overWords tell of an end that is bad for whoever waits for another one.
var overWords = []string{"expired", "cancelled", "canceled", "lapsed", "timedout", "timeout", "unpaid", "notpaid"}

// mayBeOver tells whether a place can say, beside that it went well, that it is over.
func mayBeOver(places []statePlace) bool {
	return slices.ContainsFunc(places, func(p statePlace) bool {
		over, well := false, false
		for _, w := range p.words {
			isOver := slices.Contains(overWords, plainWord(w.Text()))
			over, well = over || isOver, well || !isOver && p.standingOf(w.Text()) == decidedWell
		}
		return over && well
	})
}

// mayGoOn tells whether a place can say that it is not decided yet.
func mayGoOn(places []statePlace) bool {
	return slices.ContainsFunc(places, func(p statePlace) bool { return !p.first(undecided).IsAbsent() })
}

// deepestState is how many members deep states are looked for.
const deepestState = 3

// statesSaid gives the places where the good answers of an operation, or the messages that
// it stands for, say in JSON how something stands.
func statesSaid(op *source.Operation) []statePlace { return statesSaidIn(op, "json") }

// statesSaidIn gives the places where they say so in one of the forms.
func statesSaidIn(op *source.Operation, forms ...string) []statePlace {
	if op == nil {
		return nil
	}
	var found []statePlace
	read := func(content []*source.MediaType) {
		for _, media := range content {
			isForm := func(form string) bool { return strings.Contains(media.Type, form) }
			if slices.ContainsFunc(forms, isForm) {
				found = readStates(found, media.Schema, nil, 0)
			}
		}
	}
	if op.Kind != source.Request {
		if op.Body != nil {
			read(op.Body.Content)
		}
		return found
	}
	for _, r := range op.Responses {
		if strings.HasPrefix(r.Status, "2") {
			read(r.Content)
		}
	}
	return found
}

func readStates(found []statePlace, s *openapi3.Schema, at value.Pointer, depth int) []statePlace {
	if s == nil || len(at) > deepestState || depth > deepestSchema {
		return found
	}
	if len(at) > 0 && len(s.Enum) > 1 {
		place := statePlace{at: at}
		for _, item := range s.Enum {
			if v, err := value.Of(item); err == nil && v.Kind() == value.KindString {
				place.words = append(place.words, v)
			}
		}
		known := slices.ContainsFunc(found, func(p statePlace) bool { return slices.Equal(p.at, at) })
		if one := []statePlace{place}; !known && (mayGoOn(one) || mayFail(one) || place.isNamedState() && mayBeOver(one)) {
			found = append(found, place)
		}
		return found
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		found = readStates(found, schemaOf(part), at, depth+1)
	}
	if s.Items != nil { // what a list says, its first item says
		found = readStates(found, schemaOf(s.Items), append(at[:len(at):len(at)], "0"), depth+1)
	}
	for _, name := range slices.Sorted(mapKeys(s.Properties)) {
		found = readStates(found, schemaOf(s.Properties[name]), append(at[:len(at):len(at)], name), depth+1)
	}
	return found
}

// standingIn reads how something stands from a body: at the places that the description
// names, else by the names of its members. It gives the word as well.
func standingIn(places []statePlace, body value.Value) (standing, string) {
	for _, p := range places {
		if word, ok := p.at.In(body).Str(); ok {
			return p.standingOf(word), word
		}
	}
	if len(places) > 0 {
		return unsaid, ""
	}
	for _, name := range []string{"status", "state"} {
		if word, ok := body.Get(name).Str(); ok {
			return standingOf(word), word
		}
	}
	return unsaid, ""
}

// undoingWords are in the names of operations that take back, or give up, what was begun:
// they may come before it is decided.
var undoingWords = map[string]bool{
	"cancel": true, "cancellation": true, "cancellations": true, "void": true, "refund": true, "refunds": true, "reverse": true, "reversal": true,
	"reversals": true, "release": true, "releases": true, "abort": true, "delete": true, "undo": true, "revert": true, "reject": true,
	"expire": true, "recall": true, "withdraw": true, "compensate": true, "rollback": true, "drop": true, "remove": true, "revoke": true,
	"unreserve": true, "restock": true,
}

// undoes tells whether an operation takes something back.
func undoes(op *source.Operation) bool {
	if op.Method == "DELETE" {
		return true
	}
	for _, part := range nameParts.FindAllString(op.ID+" "+op.Path[strings.LastIndexByte(op.Path, '/')+1:], -1) {
		if undoingWords[strings.ToLower(part)] {
			return true
		}
	}
	return false
}
