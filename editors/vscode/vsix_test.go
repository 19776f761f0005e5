package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPack: two packages of the same version are the same bytes, and a package has what the editor loads and nothing else.
func TestPack(t *testing.T) {
	when := time.Date(2026, 1, 31, 12, 0, 0, 0, time.FixedZone("", 3600))
	first, err := pack("1.2.3", []byte("the license\n"), when)
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack("1.2.3", []byte("the license\n"), when)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("two packages differ: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		has[f.Name] = string(text)
		if strings.Contains(f.Name, "test") || strings.HasSuffix(f.Name, ".go") {
			t.Errorf("it has %s", f.Name)
		}
	}
	for name, want := range map[string]string{
		"extension/package.json":    `"version": "1.2.3"`,
		"extension/LICENSE.txt":     "the license",
		"extension/README.md":       "emend",
		"extension.vsixmanifest":    `<Identity Language="en-US" Id="emend" Version="1.2.3" Publisher="emend-dev">`,
		"[Content_Types].xml":       `Extension=".svg"`,
		"extension/media/emend.svg": "<svg",
	} {
		if !strings.Contains(has[name], want) {
			t.Errorf("%s does not have %q: %q", name, want, has[name])
		}
	}
	if strings.Contains(has["[Content_Types].xml"], `ContentType=""`) {
		t.Errorf("an ending has no type: %s", has["[Content_Types].xml"])
	}
}

var registered = regexp.MustCompile(`(?m)^\t\t\t(\w+): (?:node|\(|async)`)

// TestCommands: each command that the manifest names is registered by the code, and each that is registered for a person has a title.
func TestCommands(t *testing.T) {
	var m struct {
		Contributes struct {
			Commands []struct{ Command, Title string }
			Menus    map[string][]struct{ Command string }
		}
	}
	text, _ := files.ReadFile("package.json")
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	code, _ := files.ReadFile("src/extension.js")
	var known, titled []string
	for _, name := range registered.FindAllStringSubmatch(string(code), -1) {
		known = append(known, "emend."+name[1])
	}
	for _, c := range m.Contributes.Commands {
		titled = append(titled, c.Command)
		if !slices.Contains(known, c.Command) || c.Title == "" {
			t.Errorf("%s: registered are %q", c.Command, known)
		}
	}
	for menu, items := range m.Contributes.Menus {
		for _, i := range items {
			if !slices.Contains(titled, i.Command) {
				t.Errorf("%s: %s has no title", menu, i.Command)
			}
		}
	}
}

// TestScripts runs the tests of the extension's parts that need no editor.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT RUN: node is not installed")
	}
	cmd := exec.Command(node, "--test", "test/")
	cmd.Env = append(os.Environ(), "NODE_OPTIONS=", "NODE_TEST_CONTEXT=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
