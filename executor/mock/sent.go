package mock

// Sent is a message that follows a request which was carried out.
type Sent struct {
	Asked // the webhook or callback, as Outgoing names it
	// Implied tells that the description does not say so: it is supposed from what it does
	// say.
	Implied bool
}

// Sends gives the messages that follow an operation, where it is carried out and somebody
// receives them.
func (a *APIs) Sends(of Asked) []Sent {
	a.routes.compileSends()
	var all []Sent
	for _, r := range a.routes.all {
		if r.source != of.Source || r.name != of.Operation {
			continue
		}
		for _, s := range a.routes.sends[r] {
			all = append(all, Sent{
				Asked:   Asked{Source: s.webhook.source, Operation: s.webhook.name},
				Implied: s.implied && !s.webhook.isCallback(),
			})
		}
	}
	return all
}
