package idempotency

// Operation is what is known of one operation over all its attempts. The zero
// value is a harmless operation that was not attempted yet.
type Operation struct {
	// Effectful: see the function of that name.
	Effectful bool
	// Class over all attempts; empty before the first.
	Class Class
	// Reason says, in words, which attempt or what else made the class.
	Reason string
}

// After gives what is known of the operation after one more attempt. settles
// tells that the attempt bore the operation's own key under a contract that makes
// its answer speak for the operation (Plan.Settles); it matters for a success and
// a refusal only.
//
// An effectful operation is Unknown from its first unknown attempt on: a later
// attempt that was not sent, not processed or rejected says nothing of the one
// before. Nor does a success that did not come under the operation's own key: it
// may be the second effect. An effect that was seen is not undone by an attempt
// that had none.
func (o Operation) After(attempt Class, settles bool, reason string) Operation {
	if o.Effectful && !o.replacedBy(attempt, settles) {
		return o
	}
	o.Class, o.Reason = attempt, reason
	return o
}

func (o Operation) replacedBy(attempt Class, settles bool) bool {
	if attempt == Unknown {
		return true
	}
	switch o.Class {
	case Unknown:
		return settles && (attempt == Succeeded || attempt == Rejected)
	case Succeeded:
		return attempt == Succeeded
	default:
		return true
	}
}

// Closed gives what is known of the operation when no further attempt is made,
// inFlight telling that the last one was answered with a key in flight: somebody
// else's request is at work, and its outcome was not seen.
func (o Operation) Closed(inFlight bool) Operation {
	if inFlight && o.Effectful && o.Class == Deferred {
		o.Class = Unknown
	}
	return o
}

// SettledBy gives the operation after something other than an attempt told its
// outcome: a requery, or an operator. by says who, in words.
func (o Operation) SettledBy(by string, outcome Class) Operation {
	o.Class, o.Reason = outcome, by
	return o
}

// Settled tells whether no effect is left open.
func (o Operation) Settled() bool { return !o.Effectful || o.Class != Unknown }
