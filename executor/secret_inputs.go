package executor

import "github.com/weft-flow/weft/arazzo/value"

// HasSecrets tells whether inputs for a run hold a value that the schema of a
// workflow marks as a password. Whoever keeps inputs must not keep them as they are.
func (p *Plan) HasSecrets(given value.Value) bool {
	m := newMask(Start{})
	for _, w := range p.given {
		m.learn(w, w.ownInputs(given))
	}
	return !m.secrets.none()
}
