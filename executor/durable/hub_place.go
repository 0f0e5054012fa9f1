package durable

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// nameOf gives the text by which a place is looked up.
func nameOf(at channel.Place) string {
	text, err := json.Marshal(at)
	if err != nil {
		panic(err) // four texts
	}
	return hex.EncodeToString(hashOf(string(text)))
}

func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// tokenBytes is how many random bytes are in the token of an address.
const tokenBytes = 24

func newToken() string { return base64.RawURLEncoding.EncodeToString(random(tokenBytes)) }

// makePlaces makes places that are not known, and holds them together with others until
// the transaction ends: in one order, so that no two wait for each other.
func (h *Hub) makePlaces(ctx context.Context, c conn, places ...channel.Place) error {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b channel.Place) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	for _, at := range slices.Compact(places) {
		if err := h.makePlace(ctx, c, at); err != nil {
			return err
		}
	}
	return nil
}

// makePlace makes a place and holds it with others. One that is there when it is to be made
// may be forgotten before it is held: then it is made anew.
func (h *Hub) makePlace(ctx context.Context, c conn, at channel.Place) error {
	const attempts = 20
	for range attempts {
		_, err := c.exec(ctx, "INSERT INTO weft_place (place, kind, source, name, token) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			nameOf(at), string(at.Kind), at.Source, at.Name, at.Token)
		if err != nil {
			return err
		}
		if there, err := h.sharePlace(ctx, c, at); there || err != nil {
			return err
		}
	}
	return errors.New("the address is forgotten all the time")
}

// Who adds what runs expect at a place holds it together with others who do. Who brings a
// message, or takes one out of those that are unmatched, holds it alone: so a message and
// what expects it find each other, whichever comes first, and runs need not open one after
// another.
//
// The locks of rows let those who share go before one who waits to be alone, for as long
// as more of them come. So all stand in line for an advisory lock first, which does not.
// The rows are locked for nodes of versions that know of nothing else.

// The advisory locks of a place: who holds it, and who of those that share it may take what
// is unmatched.
const (
	placeLock = "weft place "
	looseLock = "weft unmatched "
)

// sharePlace holds a place with others, and tells whether there is one.
func (h *Hub) sharePlace(ctx context.Context, c conn, at channel.Place) (there bool, err error) {
	if err := h.advise(ctx, c, "pg_advisory_xact_lock_shared", placeLock+nameOf(at)); err != nil {
		return false, err
	}
	return hasPlace(ctx, c, nameOf(at), " FOR SHARE")
}

// holdPlace holds a place alone, and tells whether there is one.
func (h *Hub) holdPlace(ctx context.Context, c conn, at channel.Place) (there bool, err error) {
	return h.holdNamed(ctx, c, nameOf(at))
}

func (h *Hub) holdNamed(ctx context.Context, c conn, place string) (there bool, err error) {
	if err := h.advise(ctx, c, "pg_advisory_xact_lock", placeLock+place); err != nil {
		return false, err
	}
	return hasPlace(ctx, c, place, " FOR UPDATE")
}

// holdLoose lets one at a time, of those who share places, give their messages to runs.
// Places are named in order.
func (h *Hub) holdLoose(ctx context.Context, c conn, places ...string) error {
	for _, place := range places {
		if err := h.advise(ctx, c, "pg_advisory_xact_lock", looseLock+place); err != nil {
			return err
		}
	}
	return nil
}

// advise takes an advisory lock until the transaction ends. In SQLite a transaction is
// alone from its beginning.
func (h *Hub) advise(ctx context.Context, c conn, take, name string) error {
	if h.store.db.lite != nil {
		return nil
	}
	_, err := c.exec(ctx, "SELECT "+take+"(hashtextextended($1, 0))", name)
	return err
}

func hasPlace(ctx context.Context, c conn, place, lock string) (bool, error) {
	var there int
	return one(ctx, c, "SELECT 1 FROM weft_place WHERE place = $1"+lock, []any{place}, &there)
}

// addForm keeps what a box says to receivers, and gives the digest of that.
func addForm(ctx context.Context, c conn, at channel.Place, box executor.Mailbox, declared bool) ([]byte, error) {
	form, digest, err := formOf(box)
	if err != nil {
		return nil, err
	}
	always := 0
	if declared {
		always = 1
	}
	_, err = c.exec(ctx, "INSERT INTO weft_form (place, form, declared, mailbox) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", nameOf(at), digest, always, form)
	return digest, err
}

// formOf gives what a box says to receivers, and the digest of that.
func formOf(box executor.Mailbox) (form, digest []byte, err error) {
	form, err = json.Marshal(executor.Mailbox{
		Kind: box.Kind, Source: box.Source, Method: box.Method, Status: box.Status, ContentTypes: box.ContentTypes, Signed: box.Signed,
	})
	return form, hashOf(string(form)), err
}

// forgetSigned takes back that messages at a place are to be signed, once a process that
// knows their source wants no signatures any more.
func forgetSigned(ctx context.Context, c conn, at channel.Place, box executor.Mailbox) error {
	box.Signed = true
	_, digest, err := formOf(box)
	if err == nil {
		_, err = c.exec(ctx, "DELETE FROM weft_form WHERE place = $1 AND form = $2 AND declared = 1", nameOf(at), digest)
	}
	return err
}

// known tells what is known of a place; ok is false where it is of no use any more.
func (h *Hub) known(ctx context.Context, c conn, at channel.Place) (known channel.Known, ok bool, err error) {
	var boxes []executor.Mailbox
	err = c.each(ctx, "SELECT mailbox FROM weft_form WHERE place = $1 ORDER BY declared DESC, ord", []any{nameOf(at)}, func(r row) error {
		var text []byte
		if err := r.Scan(&text); err != nil {
			return err
		}
		boxes = append(boxes, executor.Mailbox{})
		return json.Unmarshal(text, &boxes[len(boxes)-1])
	})
	if err != nil {
		return channel.Known{}, false, err
	}
	return at.Known(boxes), len(boxes) > 0, nil
}

// Find tells what is known of an address (channel.Keeper).
func (h *Hub) Find(ctx context.Context, target channel.Target) (known channel.Known, found bool, err error) {
	err = h.view(ctx, "find an address", func(ctx context.Context, tx conn) error {
		if target.Token != "" {
			known, found, err = h.findScoped(ctx, tx, target)
			return err
		}
		var addresses []channel.Address
		err := tx.each(ctx, "SELECT name FROM weft_place WHERE kind = $1 AND source = $2 AND token = ''", []any{string(target.Kind), target.Source}, func(r row) error {
			at := channel.Place{Kind: target.Kind, Source: target.Source}
			err := r.Scan(&at.Name)
			addresses = append(addresses, h.address(at))
			return err
		})
		if err != nil {
			return err
		}
		at, path, ok := channel.Resolve(target, addresses)
		if !ok {
			found = false
			return nil
		}
		known, found, err = h.known(ctx, tx, at)
		known.Path = path
		return err
	})
	return known, found, err
}

// address gives a place as what targets are compared with.
func (h *Hub) address(at channel.Place) channel.Address {
	if a, ok := h.addresses.Load(at); ok {
		return a.(channel.Address)
	}
	a := channel.AddressOf(at)
	h.addresses.Store(at, a)
	return a
}

// findScoped tells what is known of an address of a run's own.
func (h *Hub) findScoped(ctx context.Context, c conn, target channel.Target) (channel.Known, bool, error) {
	var address string
	var ended int64
	found, err := one(ctx, c, "SELECT b.address, i.ended FROM weft_box b JOIN weft_inbox i ON i.run = b.run WHERE b.place = $1",
		[]any{nameOf(channel.Place{Token: target.Token})}, &address, &ended)
	if err != nil || !found {
		return channel.Known{}, false, err
	}
	known, ok, err := h.known(ctx, c, channel.Place{Token: target.Token})
	known.Gone = ended > 0
	if address != "" {
		known.Path, _ = channel.ParseTemplate(address).Match(target.Rest)
	}
	return known, ok, err
}

// locators lists the places in messages that are looked at where a message arrives.
func (h *Hub) locators(ctx context.Context, c conn, place string) (values, identities []executor.Locator, err error) {
	err = c.each(ctx, "SELECT use, text FROM weft_locator WHERE place = $1 ORDER BY use, text", []any{place}, func(r row) error {
		var use, text string
		if err := r.Scan(&use, &text); err != nil {
			return err
		}
		where, err := executor.ParseLocator(text)
		if use == valueUse {
			values = append(values, where)
		} else {
			identities = append(identities, where)
		}
		return err
	})
	return values, identities, err
}
