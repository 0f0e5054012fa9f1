package config

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// published gives a file of docs/.
func published(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var fence = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// examples gives the examples of docs/configuration.md. The second has every key.
func examples(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, m := range fence.FindAllStringSubmatch(published(t, "configuration.md"), -1) {
		texts = append(texts, m[1])
	}
	if len(texts) < 5 {
		t.Fatalf("the page has %d examples", len(texts))
	}
	return texts
}

// setExampleVariables sets the variables that examples name.
func setExampleVariables(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"ORDERS_KEY", "STAFF_PASSWORD", "PAYMENTS_TOKEN", "CLIENT_SECRET", "PERSON_PASSWORD", "CRM_SECRET",
		"PAYMENTS_WEBHOOK_SECRET", "PAYMENTS_WEBHOOK_SECRET_BEFORE", "WEFT_SHOP_TOKEN", "WEFT_ON_CALL_TOKEN",
	} {
		t.Setenv(name, "the "+name)
	}
}

func TestExamplesOfThePageHaveNoFaults(t *testing.T) {
	setExampleVariables(t)
	for _, text := range examples(t) {
		if _, faults := parse("weft.yaml", []byte(text)); len(faults) > 0 {
			t.Errorf("%v in\n%s", faults, text)
		}
	}
}

func given[T any](v T) Setting[T] { return Setting[T]{Value: v, Given: true} }

// TestTheWholeExample reads the example with every key, and says what each means.
func TestTheWholeExample(t *testing.T) {
	setExampleVariables(t)
	got, faults := parse(filepath.Join("etc", "weft.yaml"), []byte(examples(t)[1]))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	stripe, _ := idempotency.ByName("stripe")
	want := &Config{
		Path: filepath.Join("etc", "weft.yaml"),
		Sources: map[string]Source{
			"orders": {
				Server: given("https://staging.example.com/orders/v1"),
				Auth: map[string]Credential{
					"ordersKey": {APIKey: "the ORDERS_KEY"},
					"staff":     {Basic: &Basic{Username: "tester", Password: "the STAFF_PASSWORD"}},
				},
				Headers: []Header{{Name: "X-Team", Value: "checkout"}},
				Effects: map[string]Setting[string]{
					"searchOrders": given("read"), "touchOrder": given("idempotent"), "runReport": given("effect"),
				},
			},
			"payments": {
				Server: given("https://pay.example.com"),
				Auth: map[string]Credential{
					"token": {Bearer: "the PAYMENTS_TOKEN"},
					"machine": {OAuth2: &OAuth2{
						Grant: ClientCredentials, TokenURL: "https://login.example.com/oauth/token",
						ClientID: "weft", ClientSecret: "the CLIENT_SECRET",
						Scopes: []string{"payments.read", "payments.write"}, Audience: "https://pay.example.com",
					}},
					"person": {OAuth2: &OAuth2{
						Grant: Password, TokenURL: "https://login.example.com/oauth/token",
						ClientID: "weft", Username: "tester", Password: "the PERSON_PASSWORD",
					}},
				},
				CA: given(filepath.Join("etc", "certs", "internal-ca.pem")),
				ClientCertificate: &ClientCertificate{
					Cert: filepath.Join("etc", "certs", "client.pem"), Key: filepath.Join("etc", "certs", "client.key"),
				},
				Proxy:       given(&url.URL{Scheme: "http", Host: "proxy.example.com:3128"}),
				Idempotency: &idempotency.Profile{Name: "payments", Dialect: stripe},
				Webhooks: &Webhooks{
					Secrets:   []string{"the PAYMENTS_WEBHOOK_SECRET", "the PAYMENTS_WEBHOOK_SECRET_BEFORE"},
					Tolerance: given(5 * time.Minute), ConflictStatus: given(409), Origins: []string{"events.example.com"},
					MaxBody: given(int64(256 << 10)), Rate: given(200),
				},
			},
			"ledger": {
				Variables: map[string]string{"region": "eu", "port": "8443"},
				Proxy:     given[*url.URL](nil),
				Idempotency: &idempotency.Profile{
					Name: "ledger",
					Dialect: idempotency.Dialect{
						Name: "x-request-key", Header: "X-Request-Key", Format: idempotency.Raw, MaxLength: 64,
						Retention: 24 * time.Hour, Kept: idempotency.KeptSuccess,
						Statuses: idempotency.Statuses{InFlight: 425},
					},
					Methods:     []string{"POST", "PUT"},
					Statuses:    map[int]idempotency.Class{409: idempotency.Succeeded, 423: idempotency.Deferred},
					SettleAfter: 45 * time.Second,
				},
			},
		},
		Run: Run{
			Server: given("http://127.0.0.1:8080"), StepTimeout: given(20 * time.Second), Timeout: given(30 * time.Minute),
			MaxSteps: given(2000), Jitter: given(250 * time.Millisecond), MaxBody: given(int64(4 << 20)),
			Contract: given("warn"), UnsafeRetry: given("deny"), FailOn: given("recovered"), Tenant: given("checkout-team"),
			Listen: given("127.0.0.1:8085"), CallbackURL: given("https://hooks.staging.example.com/weft"), Linger: given(2 * time.Second),
		},
		Serve: Serve{Tokens: []Token{
			{Name: "shop", Token: "the WEFT_SHOP_TOKEN", Tenant: "shop", Rights: []string{"start", "read"}},
			{Name: "on-call", Token: "the WEFT_ON_CALL_TOKEN", Tenant: "shop", Rights: []string{"read", "act", "deliver", "operate"}},
		}},
		Lint: Lint{
			Extends: given("strict"),
			Rules: map[string]Rule{
				"unused-output": {Severity: given("off")},
				"retry-bounded": {
					Severity: given("error"),
					Options:  value.Object(value.Member{Name: "most", Value: value.Int(5)}),
				},
			},
			Ignore: []Ignore{
				{Path: "third-party/**"},
				{Path: "drafts/*.yaml", Rules: []string{"success-criteria-present", "prefer-operation-id"}},
			},
		},
		Secrets: []string{
			"the ORDERS_KEY", "the STAFF_PASSWORD", "the PAYMENTS_TOKEN", "the CLIENT_SECRET", "the PERSON_PASSWORD",
			"the PAYMENTS_WEBHOOK_SECRET", "the PAYMENTS_WEBHOOK_SECRET_BEFORE", "the WEFT_SHOP_TOKEN", "the WEFT_ON_CALL_TOKEN",
		},
	}
	sameJSON := cmp.Comparer(func(a, b value.Value) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(Place{}, map[string]Place{}), sameJSON); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestThePageNamesEveryKey holds the page against the schema.
func TestThePageNamesEveryKey(t *testing.T) {
	page, whole := published(t, "configuration.md"), examples(t)[1]
	for at, keys := range schemaKeys(t) {
		for _, key := range keys {
			if key == "$schema" {
				continue
			}
			if !strings.Contains(page, "`"+key+"`") && !strings.Contains(page, "`"+key+": ") && !strings.Contains(page, "## "+key) && !strings.Contains(page, "{"+key) && !strings.Contains(page, key+"}") {
				t.Errorf("the page says nothing of %s (%s)", key, at)
			}
			if !strings.Contains(whole, key+":") {
				t.Errorf("the whole example has no %s (%s)", key, at)
			}
		}
	}
	for _, d := range idempotency.Dialects() {
		if !strings.Contains(page, "`"+d.Name+"`") {
			t.Errorf("the page says nothing of the dialect %s", d.Name)
		}
	}
}

func TestTheFaultOnThePageIsWhatTheReaderSays(t *testing.T) {
	_, faults := parse("weft.yaml", []byte("sources:\n  payments:\n    servr: http://localhost\n"))
	if !slices.ContainsFunc(faults, func(f Fault) bool {
		return strings.Contains(published(t, "configuration.md"), "\n"+f.Error()+"\n")
	}) {
		t.Errorf("the page does not show %v", faults)
	}
}
