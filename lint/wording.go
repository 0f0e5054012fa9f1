package lint

import (
	"strings"
	"unicode"

	"github.com/weft-flow/weft/arazzo"
)

// PlainName gives a name without what its style adds: lower case, letters and
// digits alone. order_id, orderId and Order-ID are the same.
func PlainName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Words parts a name at its capitals, hyphens, underscores and dots, in lower case.
func Words(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, unicode.ToLower(r))
	}
	end()
	return words
}

// sharedWords name what many orders have in common.
var sharedWords = map[string]bool{
	"customer": true, "user": true, "account": true, "tenant": true, "merchant": true, "store": true, "shop": true,
	"product": true, "sku": true, "item": true, "article": true, "plan": true, "category": true,
	"currency": true, "amount": true, "price": true, "total": true, "quantity": true, "country": true,
	"language": true, "locale": true, "region": true, "date": true, "email": true, "phone": true, "name": true,
	"status": true, "state": true, "type": true, "kind": true, "method": true, "page": true, "limit": true,
	"offset": true, "cursor": true, "sort": true, "filter": true, "username": true, "customerid": true, "userid": true, "api": true, "access": true, "auth": true, "session": true,
	"city": true, "guest": true, "member": true, "patient": true, "passenger": true, "driver": true, "vehicle": true,
	"seller": true, "buyer": true, "vendor": true, "supplier": true, "company": true, "organization": true, "organisation": true,
	"hotel": true, "room": true, "warehouse": true, "brand": true, "model": true, "color": true, "colour": true, "size": true,
	"cents": true, "cost": true, "fee": true, "iban": true, "zip": true, "postcode": true, "postal": true, "year": true, "month": true, "day": true,
}

// ownWords name what is made for one order, request or payment alone.
var ownWords = map[string]bool{
	"idempotency": true, "idempotence": true, "request": true, "order": true, "payment": true, "transaction": true,
	"transfer": true, "refund": true, "booking": true, "invoice": true, "reference": true, "ref": true, "nonce": true,
	"uuid": true, "guid": true, "correlation": true, "checkout": true, "charge": true, "operation": true,
	"key": true, "id": true, "number": true, "code": true,
}

// IsShared tells whether a name is that of something which many orders have in
// common, as far as a name can tell.
func IsShared(name string) bool {
	shared := false
	for _, word := range Words(name) {
		switch {
		case sharedWords[word]:
			shared = true
		case word != "id" && word != "code" && word != "number" && word != "key" && ownWords[word]:
			return false
		}
	}
	return shared
}

// TellsApart tells whether a name is that of something which names one thing among
// many, as far as a name can tell.
func TellsApart(name string) bool {
	if IsShared(name) {
		return false
	}
	for _, word := range Words(name) {
		if ownWords[word] {
			return true
		}
	}
	return strings.HasSuffix(strings.ToLower(name), "id") || strings.HasSuffix(strings.ToLower(name), "ref")
}

// memberNames adds the names of the members of a node, at any depth.
func memberNames(n *arazzo.Node, names map[string]bool) {
	for _, m := range n.Members {
		names[PlainName(m.Key.Text)] = true
		memberNames(m.Value, names)
	}
	for _, item := range n.Items {
		memberNames(item, names)
	}
}
