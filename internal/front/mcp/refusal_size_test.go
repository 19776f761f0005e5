package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestRefusalSizes measures the text of refusals over patches of real files, damaged as models damage them. A model pays
// for every byte of it: half of them have at most 600, beside what the words of another system need, and nine in ten at most 2 KB. go test -v prints both for every profile.
func TestRefusalSizes(t *testing.T) {
	for _, p := range patchProfiles() {
		root := t.TempDir()
		ws, err := emend.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		applyPatch, _ := p.Named("apply_patch")
		var sizes []int
		longest := ""
		for _, file := range sourceFiles(t) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if err := os.WriteFile(filepath.Join(root, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			for at := 20; at+12 < len(lines); at += 61 {
				for _, patch := range damagedPatches(p, name, lines[at:at+8], lines[at+8:at+12]) {
					r := tool.Options{Profile: p}.Call(t.Context(), ws, "apply_patch", patchArgument(t, p, patch))
					if r.OK() {
						if err := os.WriteFile(filepath.Join(root, name), text, 0o600); err != nil {
							t.Fatal(err)
						}
						continue // a tolerant dialect took it
					}
					told, err := toolResult(applyPatch, r)
					if err != nil {
						t.Fatal(err)
					}
					said := told.Content[0].(*sdk.TextContent).Text
					if sizes = append(sizes, len(said)); len(said) > len(longest) {
						longest = said
					}
				}
			}
		}
		slices.Sort(sizes)
		median, p90 := sizes[len(sizes)/2], sizes[len(sizes)*9/10]
		t.Logf("%-7s %4d refusals: median %4d bytes, p90 %4d, longest %d", p.Name, len(sizes), median, p90, len(longest))
		most := 600
		if applyPatch.Form == tool.ObjectOnly {
			most += 500 // the fields of that system's object, around the same words
		}
		if p == tool.Codex {
			most += 100 // its words repeat the lines that were looked for
		}
		if median > most || p90 > 2048 {
			t.Errorf("%s: median %d and p90 %d, and %d and 2048 are allowed; the longest is\n%s", p.Name, median, p90, most, longest)
		}
	}
}

func sourceFiles(t *testing.T) []string {
	t.Helper()
	out, err := filepath.Glob("../../plan/*.go")
	if err != nil || len(out) < 5 {
		t.Fatalf("%q, %v", out, err)
	}
	return slices.DeleteFunc(out, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

func patchArgument(t *testing.T, p *tool.Profile, patch string) json.RawMessage {
	t.Helper()
	name := "patch"
	if p == tool.Codex {
		name = "input"
	}
	b, err := json.Marshal(map[string]string{name: patch})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// damagedPatches returns patches that change one line in the middle of eight, each damaged in another way.
func damagedPatches(p *tool.Profile, file string, lines, below []string) (out []string) {
	hunk := func(change func(i int, mark, line string) string) string {
		var b strings.Builder
		if p != tool.Chimera {
			b.WriteString("@@\n")
		}
		for i, l := range lines {
			mark := " "
			if i == 4 {
				mark = "-"
			}
			b.WriteString(change(i, mark, l))
			if i == 4 {
				b.WriteString("+" + l + " // changed\n")
			}
		}
		return b.String()
	}
	whole := func(hunks string) string {
		return "*** Begin Patch\n*** Update File: " + file + "\n" + hunks + "*** End Patch\n"
	}
	same := func(_ int, mark, l string) string { return mark + l + "\n" }
	typo := func(l string) string {
		if len(l) < 3 {
			return l + "x"
		}
		return l[:len(l)/2] + "q" + l[len(l)/2+1:]
	}
	on := func(damage func(string) string, which ...int) func(int, string, string) string {
		return func(i int, mark, l string) string {
			if slices.Contains(which, i) {
				l = damage(l)
			}
			return mark + l + "\n"
		}
	}
	out = append(out,
		whole(hunk(on(typo, 2))),                      // in context
		whole(hunk(on(typo, 4))),                      // in what is removed
		whole(hunk(on(typo, 1, 3, 6))),                // in most of the context
		whole(hunk(on(typo, 0, 1, 2, 3, 4, 5, 6, 7))), // everywhere
		whole(hunk(on(func(l string) string { return strings.ReplaceAll(l, "\t", "    ") }, 0, 1, 2, 3, 4, 5, 6, 7))),
		whole(hunk(on(func(l string) string { return "  " + l }, 0, 1, 2, 3, 4, 5, 6, 7))),
		whole(hunk(on(func(l string) string { return l + "\n something that was never there" }, 2))), // invented
		whole(hunk(func(i int, mark, l string) string { // left out
			if i == 2 || i == 5 {
				return ""
			}
			return same(i, mark, l)
		})),
		whole(hunk(on(typo, 2))+hunk(on(typo, 5))),                // two hunks
		"*** Begin Patch\n*** Update File: "+file+"\n"+hunk(same), // cut off
		"```\n"+whole(hunk(same))+"```\n",
		strings.Replace(whole(hunk(same)), file, "no/"+file, 1),
	)
	sep := "@@\n"
	if p == tool.Chimera {
		sep = ""
	}
	for _, l := range append(slices.Clone(lines), below...) { // one line, which may have several places
		if strings.TrimSpace(l) != "" {
			out = append(out, whole(fmt.Sprintf("%s %s\n+%s\n", sep, l, "\tadded()")))
		}
	}
	return out
}

// patchProfiles lists the profiles whose tool takes the text of a whole patch.
func patchProfiles() []*tool.Profile {
	return slices.DeleteFunc(slices.Clone(tool.Profiles), func(p *tool.Profile) bool { return p == tool.OpenAI || p == tool.Anthropic })
}

// TestNearestInEveryProfile checks that the text which a model reads has the lines of the file that nearly fit, and those that
// tell two places apart, once, in every profile.
func TestNearestInEveryProfile(t *testing.T) {
	const file = "func one() {\n\tstart(1)\n\tleave()\n}\n\nfunc two() {\n\tgo(2)\n\tleave()\n}\n"
	for _, p := range patchProfiles() {
		applyPatch, _ := p.Named("apply_patch")
		begin := map[*tool.Profile]string{tool.Chimera: "", tool.Supyagent: "@@ func one() {\n"}
		head, ok := begin[p]
		if !ok {
			head = "@@\n"
		}
		for _, tt := range []struct {
			name, hunk string
			once       []string
		}{
			{"nearest", head + " func one() {\n \tstart(2)\n-\tleave()\n+\tstay()\n }\n", []string{"start(1)"}},
			{"two places", strings.TrimPrefix(head, "@@ func one() {\n") + "-\tleave()\n+\tstay()\n", []string{"start(1)", "go(2)"}},
		} {
			root := t.TempDir()
			ws, err := emend.Open(root)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, "f.go"), []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.name == "two places" && p == tool.Supyagent {
				tt.hunk = "@@ leave()\n-leave()\n+\tstay()\n"
			}
			r := tool.Options{Profile: p}.Call(t.Context(), ws, "apply_patch", patchArgument(t, p, "*** Begin Patch\n*** Update File: f.go\n"+tt.hunk+"*** End Patch\n"))
			ws.Close()
			if r.OK() {
				if p != tool.Codex || tt.name != "two places" { // which takes the first place
					t.Errorf("%s, %s: applied: %s", p.Name, tt.name, r.Text())
				}
				continue
			}
			told, err := toolResult(applyPatch, r)
			if err != nil {
				t.Fatal(err)
			}
			text := told.Content[0].(*sdk.TextContent).Text
			for _, line := range tt.once {
				if n := strings.Count(text, line); n != 1 {
					t.Errorf("%s, %s: %q stands there %d times:\n%s", p.Name, tt.name, line, n, text)
				}
			}
		}
	}
}
