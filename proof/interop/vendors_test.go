//go:build npm

package interop

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/fakeapi"
)

// TestVendors has the SDKs of OpenAI and Anthropic talk to fakes of their APIs, and emend make the tool calls that come back: all kinds
// of them, and one that is refused. Only the API is not real.
func TestVendors(t *testing.T) {
	for _, v := range []struct {
		driver string
		api    *fakeapi.Server
		after  map[string]string
	}{
		{"openai.mjs", fakeapi.OpenAI(fakeapi.OpenAIScript...), fakeapi.OpenAIAfter},
		{"anthropic.mjs", fakeapi.Anthropic(fakeapi.AnthropicScript...), fakeapi.AnthropicAfter},
	} {
		t.Run(strings.TrimSuffix(v.driver, ".mjs"), func(t *testing.T) {
			dir := t.TempDir()
			if err := fakeapi.Lay(dir, fakeapi.Before); err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(v.api)
			defer server.Close()
			env := map[string]string{}
			for _, kv := range environment(t) {
				name, value, _ := strings.Cut(kv, "=")
				env[name] = value
			}
			told, err := json.Marshal(map[string]any{"base": server.URL, "command": program, "dir": dir, "env": env})
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, drivers(t, "vendors", v.driver), string(told))
			results, err := v.api.Results()
			failed := 0
			for _, a := range results {
				if a.Failed {
					failed++
				}
			}
			if got.code != 0 || got.out != "Done.\n" || err != nil || failed != 1 {
				t.Errorf("exit %d after %s%s; %d of the results are refusals: %+v, %v", got.code, got.out, got.err, failed, results, err)
			}
			if files, err := fakeapi.Files(dir); err != nil || !maps.Equal(files, v.after) {
				t.Errorf("the directory has %q, %v", files, err)
			}
			t.Logf("%d calls in %.1fs", len(results), got.took.Seconds())
		})
	}
}
