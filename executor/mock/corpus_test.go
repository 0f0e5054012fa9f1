package mock

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// TestPublicAPIsArePlayed sends to every operation of real public descriptions a
// request that is made by them, and reads the answers by them.
func TestPublicAPIsArePlayed(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: no public API descriptions to play")
	}
	requests, refused, misfits, messages := 0, 0, 0, 0
	err := filepath.WalkDir(filepath.Join(root, "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), "arazzo") {
			return err
		}
		loader := source.NewLoader(source.Options{Offline: true, Root: filepath.Join(root, "corpus")})
		doc, location, _, err := loader.LoadDocument(context.Background(), path)
		if err != nil || doc == nil {
			return nil
		}
		set, _ := loader.Load(context.Background(), doc, location)
		for _, d := range set.Sources {
			if d.OpenAPI == nil {
				continue
			}
			checker := new(check.Checker)
			server := New([]Source{{Name: "api", Catalog: d.OpenAPI}}, Options{})
			if err := server.SendWebhooks(WebhookOptions{Target: "http://receiver.localhost", Transport: taker{}, After: atOnce}); err != nil {
				t.Error(err)
			}
			for _, r := range server.routes.all {
				requests++
				w := httptest.NewRecorder()
				server.ServeHTTP(w, madeRequest(r))
				switch {
				case w.Code == http.StatusBadRequest || w.Code == http.StatusUnsupportedMediaType:
					refused++
					t.Logf("%s %s: refused: %s", d.Name, r.name, w.Body)
				case w.Code == http.StatusNotFound && strings.Contains(w.Body.String(), "no-such-path"):
					t.Errorf("%s %s: its own path is not found: %s", d.Name, r.name, w.Body)
				default:
					answer := check.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
					if wrong := checker.Response(r.operation, answer).Findings; w.Code/100 == 2 && len(wrong) > 0 {
						misfits++
						t.Logf("%s %s: answered %.200s: %v", d.Name, r.name, w.Body, wrong)
					}
				}
			}
			for _, sent := range server.Ledger().Webhooks {
				messages++
				if wrong := misfit(checker, server.routes, sent); len(wrong) > 0 {
					t.Errorf("%s %s: sent %.200s: %v", d.Name, sent.Operation, sent.Body, wrong)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d requests, %d refused, %d answers that break the description, %d messages", requests, refused, misfits, messages)
	if requests == 0 || messages == 0 || (refused+misfits)*10 > requests {
		t.Errorf("of %d requests %d were refused and %d answered wrongly, expected one in ten at most", requests, refused, misfits)
	}
}

// madeRequest is a request with all that the operation describes.
func madeRequest(r *route) *http.Request {
	path, query, header := r.operation.Path, url.Values{}, http.Header{}
	for _, p := range r.operation.Params {
		v, ok := native(p.Example)
		if !ok || p.In == "path" {
			v = made(flatten(p.Schema))
		}
		text := v.Text()
		if v.Kind() == value.KindArray {
			text = v.At(0).Text()
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text))
		case "query":
			query.Set(p.Name, text)
		case "header":
			header.Set(p.Name, text)
		}
	}
	var body string
	if b := r.operation.Body; b != nil {
		for _, m := range b.Content {
			if isJSON(plainType(m.Type)) {
				body = made(flatten(m.Schema)).String()
				header.Set("Content-Type", m.Type)
			}
		}
	}
	request := httptest.NewRequest(r.operation.Method, "/api/", strings.NewReader(body))
	request.URL = &url.URL{Path: "/api" + path, RawQuery: query.Encode()}
	if plain, err := url.PathUnescape("/api" + path); err == nil {
		request.URL.Path, request.URL.RawPath = plain, "/api"+path
	}
	request.Header = header
	return request
}
