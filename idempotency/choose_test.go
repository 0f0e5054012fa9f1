package idempotency

import (
	"errors"
	"strings"
	"testing"
)

func TestStatement03WhatDecidesThatAKeyIsSent(t *testing.T) {
	declared := []Declared{{Name: "X-Trace"}, {Name: "idempotency-key"}}
	draft, _ := ByName("httpapi-draft")
	stripe, _ := ByName("stripe")
	profile := &Profile{Name: "payments", Dialect: stripe}
	tests := []struct {
		name     string
		choice   Choice
		source   Source
		header   string
		contract bool
		wire     string // the key's value for the derived key K
		reason   string // part of it
	}{
		{
			name: "nothing says that the API takes a key", choice: Choice{Method: "POST"},
			source: FromNone, reason: "nothing says",
		},
		{
			name: "the API declares a known header", choice: Choice{Method: "POST", Declared: declared},
			source: FromRun, header: "idempotency-key", contract: true, wire: "K", reason: "the API declares idempotency-key",
		},
		{
			name: "the same for PATCH", choice: Choice{Method: "PATCH", Declared: declared},
			source: FromRun, header: "idempotency-key", contract: true, wire: "K",
		},
		{
			name: "declared, but not for this method", choice: Choice{Method: "PUT", Declared: declared},
			source: FromNone, reason: "PUT bears no key",
		},
		{
			name: "a declared header that is not known to bear keys", choice: Choice{Method: "POST", Declared: declared[:1]},
			source: FromNone,
		},
		{
			name: "the declared schema wants quotes", choice: Choice{Method: "POST", Declared: []Declared{{Name: "Idempotency-Key", Quoted: true}}},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: `"K"`,
		},
		{
			name:   "a business key",
			choice: Choice{Method: "POST", Declared: declared, BusinessKey: "order-1"},
			source: FromBusiness, header: "idempotency-key", contract: true, wire: "K",
		},
		{
			name:   "a profile comes before the declaration",
			choice: Choice{Method: "POST", Declared: []Declared{{Name: "PayPal-Request-Id"}}, Profile: profile},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: "K", reason: "the profile payments names",
		},
		{
			name:   "a profile decides the format, not the schema",
			choice: Choice{Method: "POST", Declared: []Declared{{Name: "Idempotency-Key", Quoted: true}}, Profile: profile},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: "K",
		},
		{
			name:   "a profile that wants quotes",
			choice: Choice{Method: "POST", Profile: &Profile{Dialect: draft}},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: `"K"`, reason: "the profile names",
		},
		{
			name:   "a profile with methods of its own",
			choice: Choice{Method: "PUT", Profile: &Profile{Dialect: draft, Methods: []string{"PUT"}}},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: `"K"`,
		},
		{
			name:   "a profile whose methods do not hold this one",
			choice: Choice{Method: "POST", Profile: &Profile{Name: "p", Dialect: draft, Methods: []string{"PUT"}}},
			source: FromNone, reason: "POST bears no key under the profile p",
		},
		{
			name:   "a profile that says nothing of keys",
			choice: Choice{Method: "POST", Profile: &Profile{Name: "p"}, Declared: declared},
			source: FromRun, header: "idempotency-key", contract: true, wire: "K",
		},
		{
			name:   "x-weft-idempotency comes before the profile",
			choice: Choice{Method: "POST", Extension: &Extension{Header: "X-Once"}, Profile: profile, Declared: declared},
			source: FromRun, header: "X-Once", contract: true, wire: "K", reason: "x-weft-idempotency names X-Once",
		},
		{
			name:   "x-weft-idempotency of the document leaves a PUT alone",
			choice: Choice{Method: "PUT", Extension: &Extension{Header: "X-Once"}},
			source: FromNone, reason: "unless the step says so",
		},
		{
			name:   "x-weft-idempotency of the step itself does not ask for the method",
			choice: Choice{Method: "PUT", Extension: &Extension{Header: "X-Once", OnStep: true}},
			source: FromRun, header: "X-Once", contract: true, wire: "K",
		},
		{
			name:   "x-weft-idempotency with a format",
			choice: Choice{Method: "POST", Extension: &Extension{Header: "Idempotency-Key", Format: SFString}},
			source: FromRun, header: "Idempotency-Key", contract: true, wire: `"K"`,
		},
		{
			name:   "x-weft-idempotency with a format only",
			choice: Choice{Method: "POST", Extension: &Extension{Format: SFString}, Declared: declared},
			source: FromRun, header: "idempotency-key", contract: true, wire: `"K"`,
		},
		{
			name:   "x-weft-idempotency with a business key only promises nothing",
			choice: Choice{Method: "POST", Extension: &Extension{}, BusinessKey: "order-1"},
			source: FromNone,
		},
		{
			name:   "x-weft-idempotency is off",
			choice: Choice{Method: "POST", Extension: &Extension{Off: true}, Profile: profile, Declared: declared},
			source: FromNone, reason: "x-weft-idempotency is off",
		},
		{
			name:   "written and declared",
			choice: Choice{Method: "POST", Written: []Field{{"X-Trace", "1"}, {"Idempotency-Key", "mine"}}, Declared: declared},
			source: FromWritten, header: "Idempotency-Key", contract: true, wire: "mine", reason: "the API declares it",
		},
		{
			name:   "written comes before x-weft-idempotency",
			choice: Choice{Method: "POST", Written: []Field{{"Idempotency-Key", "mine"}}, Extension: &Extension{Header: "X-Once"}},
			source: FromWritten, header: "Idempotency-Key", wire: "mine", reason: "no contract",
		},
		{
			name:   "written, with the header of x-weft-idempotency",
			choice: Choice{Method: "POST", Written: []Field{{"x-once", "mine"}}, Extension: &Extension{Header: "X-Once"}},
			source: FromWritten, header: "x-once", contract: true, wire: "mine", reason: "x-weft-idempotency names it",
		},
		{
			name:   "written, with the header of a profile",
			choice: Choice{Method: "POST", Written: []Field{{"Idempotency-Key", "mine"}}, Profile: profile},
			source: FromWritten, header: "Idempotency-Key", contract: true, wire: "mine", reason: "the profile payments names it",
		},
		{
			name:   "a header that is only written is no contract",
			choice: Choice{Method: "POST", Written: []Field{{"Idempotency-Key", "mine"}}},
			source: FromWritten, header: "Idempotency-Key", wire: "mine", reason: "the API does not declare it, so it is no contract",
		},
		{
			name:   "written and declared, but x-weft-idempotency is off",
			choice: Choice{Method: "POST", Written: []Field{{"Idempotency-Key", "mine"}}, Declared: declared, Extension: &Extension{Off: true}},
			source: FromWritten, header: "Idempotency-Key", wire: "mine", reason: "x-weft-idempotency is off",
		},
		{
			name:   "a written header that bears no key does not matter",
			choice: Choice{Method: "POST", Written: []Field{{"X-Trace", "1"}}, Declared: declared},
			source: FromRun, header: "idempotency-key", contract: true, wire: "K",
		},
		{
			name:   "written under any method",
			choice: Choice{Method: "PUT", Written: []Field{{"Idempotency-Key", "mine"}}, Declared: declared},
			source: FromWritten, header: "Idempotency-Key", contract: true, wire: "mine",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plan := ChooseKey(test.choice)
			if plan.Source != test.source || plan.Dialect.Header != test.header || plan.Contract != test.contract {
				t.Errorf("ChooseKey = %+v, want source %s, header %q, contract %v", plan, test.source, test.header, test.contract)
			}
			if plan.Reason == "" || !strings.Contains(plan.Reason, test.reason) {
				t.Errorf("reason %q, want one with %q", plan.Reason, test.reason)
			}
			key, err := plan.Key("K")
			if err != nil || key != (Key{Header: test.header, Value: test.wire}) {
				t.Errorf("Key = %+v, %v; want the value %q", key, err, test.wire)
			}
		})
	}
}

func TestStatement04AKeyThatBreaksItsRulesIsRefused(t *testing.T) {
	adyen, _ := ByName("adyen")
	draft, _ := ByName("httpapi-draft")
	tests := []struct {
		name    string
		choice  Choice
		derived string
		problem string
	}{
		{
			"written, longer than the declared schema allows",
			Choice{Written: []Field{{"Idempotency-Key", "12345"}}, Declared: []Declared{{Name: "Idempotency-Key", MaxLength: 4}}},
			"", "at most 4",
		},
		{
			"written, longer than the profile allows",
			Choice{Written: []Field{{"Idempotency-Key", strings.Repeat("k", 65)}}, Profile: &Profile{Dialect: adyen}},
			"", "at most 64",
		},
		{
			"the stricter of two lengths counts",
			Choice{
				Written: []Field{{"Idempotency-Key", strings.Repeat("k", 65)}}, Profile: &Profile{Dialect: adyen},
				Declared: []Declared{{Name: "Idempotency-Key", MaxLength: 100}},
			},
			"", "at most 64",
		},
		{
			"written without the quotes that the profile wants",
			Choice{Written: []Field{{"Idempotency-Key", "mine"}}, Profile: &Profile{Dialect: draft}},
			"", "double quotes",
		},
		{
			"written and empty",
			Choice{Written: []Field{{"Idempotency-Key", ""}}},
			"", "empty",
		},
		{
			"derived, longer than the declared schema allows",
			Choice{Method: "POST", Declared: []Declared{{Name: "Idempotency-Key", MaxLength: 20}}},
			DeriveKey(orderParts()), "36 characters, at most 20",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key, err := ChooseKey(test.choice).Key(test.derived)
			if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), test.problem) || key != (Key{}) {
				t.Errorf("Key = %+v, %v; want ErrKey with %q", key, err, test.problem)
			}
		})
	}
}

func TestStatement10APlanSettlesOnlyUnderAContract(t *testing.T) {
	written := []Field{{"Idempotency-Key", "mine"}}
	tests := []struct {
		name    string
		choice  Choice
		attempt Class
		status  int
		want    bool
	}{
		{"a success under a contract", Choice{Method: "POST", Declared: []Declared{{Name: "Idempotency-Key"}}}, Succeeded, 201, true},
		{"a refusal under a contract", Choice{Method: "POST", Declared: []Declared{{Name: "Idempotency-Key"}}}, Rejected, 402, true},
		{"a refusal where refusals are not kept", Choice{Method: "POST", Declared: []Declared{{Name: "Cko-Idempotency-Key"}}}, Rejected, 422, false},
		{"a success without a contract", Choice{Method: "POST", Written: written}, Succeeded, 201, false},
		{"a success without a key", Choice{Method: "POST"}, Succeeded, 201, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ChooseKey(test.choice).Settles(test.attempt, test.status); got != test.want {
				t.Errorf("Settles(%s, %d) = %v, want %v", test.attempt, test.status, got, test.want)
			}
		})
	}
}
