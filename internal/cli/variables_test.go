package cli_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestServerVariablesOfTheConfiguration fill the server that the description names,
// and the credentials go along to this machine.
func TestServerVariablesOfTheConfiguration(t *testing.T) {
	server, base := start(t, respondJSON(http.StatusCreated, `{"id":"o-1"}`))
	host, port, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.Replace(securedAPI, `"https://api.example.com"`,
		`"http://`+host+`:{port}/{version}", variables: {port: {default: "1"}, version: {default: v1, enum: [v1, v2]}}`, 1))
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	for config, says := range map[string]string{
		`sources: {api: {variables: {port: "` + port + `", version: v2}, auth: {key: {apiKey: k-secret}, login: {basic: {username: u, password: planted}}}}}`: "",
		`sources: {api: {variables: {prt: "1"}}}`:      `its server has no variable "prt"; it has "port" and "version"`,
		`sources: {api: {variables: {version: "v3"}}}`: `the server variable version cannot be "v3": there are v1, v2`,
	} {
		server.requests = nil
		writeFile(t, filepath.Join(dir, "weft.yaml"), config)
		code, output := weft("run", filepath.Join(dir, "flow.yaml"))
		if says != "" {
			if code != 2 || !strings.Contains(output, says) || len(server.requests) > 0 {
				t.Errorf("%s: exit code %d:\n%s", config, code, output)
			}
			continue
		}
		if code != 0 || len(server.requests) != 1 || server.requests[0].URL.Path != "/v2/orders" || server.requests[0].Header.Get("X-Api-Key") != "k-secret" {
			t.Errorf("exit code %d after %d requests:\n%s", code, len(server.requests), output)
		}
	}
}
