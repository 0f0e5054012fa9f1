package executor

import "errors"

// Tee gives a sink that passes each event on to every one of sinks, also where
// one of them fails.
func Tee(sinks ...Sink) Sink { return tee(sinks) }

type tee []Sink

// Write passes the event on.
func (t tee) Write(e Event) error {
	var failed []error
	for _, sink := range t {
		if err := sink.Write(e); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
