package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"
)

// manifestsDir returns a directory with the manifests of a release with all targets. Where they were not built, empty binaries stand
// for them: a manifest names files and sums, and nothing in them.
func manifestsDir(t *testing.T) (dir string, r *release) {
	t.Helper()
	r = &release{options: options{version: testVersion, out: t.TempDir()}, own: licence{id: "MIT"}}
	for _, target := range allTargets {
		r.built = append(r.built, binary{target: target, data: []byte(target.String())})
		if err := r.write(r.archiveFile(target), []byte("archive for "+target.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := r.write(bundleName(testVersion, target), []byte("bundle"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeManifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.out, r
}

// TestFormula has Ruby read the Homebrew formula as each of its systems would, and checks the words that it finds by the rules of
// brew audit that concern them. On Linux the archive of the release is installed by it, and its own test runs.
func TestFormula(t *testing.T) {
	needs(t, "ruby")
	dir, r := manifestsDir(t)
	formula, loader := filepath.Join(dir, "emend.rb"), "testdata/formula.rb"
	if said := command(t, ".", "ruby", "-wc", formula); said != "Syntax OK\n" {
		t.Errorf("ruby -wc: %s", said)
	}
	for _, of := range []struct {
		system, processor string
		target            target
	}{
		{"macos", "arm", target{"darwin", "arm64"}}, {"macos", "intel", target{"darwin", "amd64"}},
		{"linux", "arm", target{"linux", "arm64"}}, {"linux", "intel", target{"linux", "amd64"}},
	} {
		says := map[string]string{}
		for line := range strings.Lines(command(t, ".", "ruby", loader, formula, of.system, of.processor)) {
			word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			says[word] = value
		}
		sum, err := r.sum(r.archiveFile(of.target))
		if err != nil {
			t.Fatal(err)
		}
		if says["url"] != r.downloads()+"/"+r.archiveFile(of.target) || says["sha256"] != sum || says["version"] != testVersion {
			t.Errorf("%s %s: %v", of.system, of.processor, says)
		}
		desc := says["desc"]
		if desc == "" || len("emend: "+desc) > 80 || strings.HasSuffix(desc, ".") || regexp.MustCompile(`(?i)^(an?|the|emend)\s`).MatchString(desc) {
			t.Errorf("desc %q: it is short, and begins with no article and not with the name", desc)
		}
		if says["homepage"] != homepage || says["license"] == "" {
			t.Errorf("%v", says)
		}
	}
	if here := targetHere(); here.os == "linux" && here.arch == "amd64" {
		command(t, ".", "ruby", loader, formula, "linux", "intel", t.TempDir(), filepath.Dir(unpacked(t)))
	}
	t.Log("NOT RUN: brew audit and brew style: they come with Homebrew only")
}

// TestWinget checks the manifests for winget by a schema: testdata/winget says what winget's own says of the fields that emend uses.
func TestWinget(t *testing.T) {
	dir, r := manifestsDir(t)
	for name, schema := range map[string]string{"emend-dev.emend.yaml": "version", "emend-dev.emend.installer.yaml": "installer", "emend-dev.emend.locale.en-US.yaml": "defaultLocale"} {
		resolved := resolvedSchema(t, "testdata/winget/"+schema+".json")
		data, err := os.ReadFile(filepath.Join(dir, "winget", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(data, []byte("# yaml-language-server: $schema=https://aka.ms/winget-manifest."+schema+".1.9.0.schema.json\n")) {
			t.Errorf("%s does not name its schema", name)
		}
		manifest := yamlValue(t, data)
		if err := resolved.Validate(manifest); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, wrong := range []func(map[string]any){
			func(m map[string]any) { delete(m, "PackageVersion") },
			func(m map[string]any) { m["PackageIdentifier"] = "emend" },
			func(m map[string]any) { m["Unknown"] = "x" },
		} {
			other := yamlValue(t, data)
			wrong(other)
			if resolved.Validate(other) == nil {
				t.Errorf("%s: the schema takes %v", name, other)
			}
		}
		if schema != "installer" {
			continue
		}
		var got []string
		for _, i := range manifest["Installers"].([]any) {
			i := i.(map[string]any)
			got = append(got, i["Architecture"].(string), i["InstallerSha256"].(string))
		}
		amd, _ := r.sum(r.archiveFile(target{"windows", "amd64"}))
		arm, _ := r.sum(r.archiveFile(target{"windows", "arm64"}))
		if want := []string{"x64", strings.ToUpper(amd), "arm64", strings.ToUpper(arm)}; !slices.Equal(got, want) {
			t.Errorf("installers %v, want %v", got, want)
		}
	}
	t.Log("NOT RUN: winget validate: it runs on Windows only")
}

func resolvedSchema(t *testing.T, file string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// yamlValue reads a manifest as winget does before it validates it. A date stays text.
func yamlValue(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		t.Fatal(err)
	}
	return jsonOf(node.Content[0]).(map[string]any)
}

func jsonOf(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = jsonOf(n.Content[i+1])
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, jsonOf(c))
		}
		return out
	}
	return n.Value
}
