package channel

import (
	"cmp"
	"slices"

	"github.com/weft-flow/weft/executor"
)

// Place is where messages arrive: an address of a run's own, or a fixed one that all
// runs share. It can be compared, and be a key.
type Place struct {
	Token  string               // of an address of a run's own; the other fields are then empty
	Kind   executor.MailboxKind // WebhookBox or ChannelBox
	Source string
	// Name is, of a webhook, the operation; of a channel its address, a template, or
	// its key where the address is not known.
	Name string
}

// PlaceOf gives the fixed address of a box. Webhooks and callbacks share one kind.
func PlaceOf(box executor.Mailbox) Place {
	if box.Kind != executor.ChannelBox {
		return Place{Kind: executor.WebhookBox, Source: box.Source, Name: box.Operation}
	}
	p := Place{Kind: executor.ChannelBox, Source: box.Source, Name: cutQuery(box.Address)}
	if p.Name == "" {
		p.Name = box.Channel
	}
	return p
}

// Address is a fixed place, ready to be compared with targets.
type Address struct {
	Place    Place
	template Template
}

// AddressOf reads the name of a fixed place.
func AddressOf(p Place) Address {
	if p.Kind == executor.ChannelBox {
		return Address{p, ParseTemplate(p.Name)}
	}
	return Address{p, literalTemplate(p.Name)}
}

// Resolve finds the address of the target's source that the target leads to, with the
// address parameters: the one that has text where others have parameters, from the left.
func Resolve(target Target, addresses []Address) (Place, map[string]string, bool) {
	var best Address
	var path map[string]string
	found := false
	for _, a := range addresses {
		if a.Place.Kind != target.Kind || a.Place.Source != target.Source {
			continue
		}
		values, ok := a.template.Match(target.Rest)
		if ok && (!found || a.compare(best) < 0) {
			best, path, found = a, values, true
		}
	}
	return best.Place, path, found
}

func (a Address) compare(other Address) int {
	return cmp.Or(a.template.compare(other.template), cmp.Compare(a.Place.Name, other.Place.Name))
}

// Known gives what boxes at one place have in common for a receiver: all their methods
// and content types, the status that the last of them documents, and whether one wants
// signatures.
func (p Place) Known(boxes []executor.Mailbox) Known {
	k := Known{Place: p, Source: p.Source}
	anything := false
	for _, box := range boxes {
		k.Source = box.Source
		k.Methods = append(k.Methods, cmp.Or(box.Method, "POST"))
		k.ContentTypes = append(k.ContentTypes, box.ContentTypes...)
		k.Signed = k.Signed || box.Signed
		anything = anything || len(box.ContentTypes) == 0
		if box.Status != 0 {
			k.Status = box.Status
		}
	}
	slices.Sort(k.Methods)
	k.Methods = slices.Compact(k.Methods)
	slices.Sort(k.ContentTypes)
	if k.ContentTypes = slices.Compact(k.ContentTypes); anything {
		k.ContentTypes = nil
	}
	return k
}
