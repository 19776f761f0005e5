package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

const mergedFile = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

const mergedPatch = "*** Begin Patch\n*** Update File: f\n@@\n six\n-seven\n+SEVEN\n eight\n*** End Patch\n"

// readSum reads f and returns its hash.
func (r *testClient) readSum(s *sdk.ClientSession) string {
	r.Helper()
	text := r.call(s, "read_file", map[string]any{"path": "f", "startLine": 5, "endLine": 8}, nil)
	_, rest, _ := strings.Cut(text, "sha256 ")
	sum, _, _ := strings.Cut(rest, " ")
	if len(sum) != 64 {
		r.Fatal(text)
	}
	return sum
}

// patchSeen sends the patch for the version with a hash.
func (r *testClient) patchSeen(s *sdk.ClientSession, sum string, lenient bool) (text string, ok bool) {
	r.Helper()
	args := map[string]any{"patch": mergedPatch, "expectedSha256ByPath": map[string]string{"f": sum}, "lenient": lenient}
	out, err := s.CallTool(r.Context(), &sdk.CallToolParams{Name: "apply_patch", Arguments: args})
	if err != nil {
		r.Fatal(err)
	}
	b, err := json.Marshal(out.Content)
	if err != nil {
		r.Fatal(err)
	}
	return string(b), !out.IsError
}

// TestMergedOverMCP: an agent reads a file and sends a patch for what it read. Meanwhile another program changes the file.
func TestMergedOverMCP(t *testing.T) {
	for _, tt := range []struct {
		name    string
		lenient bool
		between func(t *testing.T, r *testClient)
		want    string // a part of the file
		says    string
	}{
		{"strict", false, saved("two", "TWO"), "\nseven\n", "the file changed since it was read"},
		{"a person saves", true, saved("two", "TWO"), "\nSEVEN\n", "merged: it fits the version"},
		{"another emend", true, func(t *testing.T, r *testClient) {
			other, err := emend.Open(r.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if _, err := other.Apply(t.Context(), "*** Begin Patch\n*** Update File: f\n@@\n-two\n+TWO\n*** End Patch\n", api.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}, "\nSEVEN\n", "merged: it fits the version"},
		{"a person changes the same line", true, saved("seven", "7"), "\n7\n", "conflict"},
		{"something is purged", true, func(t *testing.T, r *testClient) {
			saved("two", "TWO")(t, r)
			other, err := emend.Open(r.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if _, err := other.Create(t.Context(), api.CreateRequest{Path: "g", Content: "1\n"}); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Purge(t.Context(), api.PurgeRequest{Path: "g"}); err != nil {
				t.Fatal(err)
			}
		}, "\nseven\n", "the file changed since it was read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newTestClient(t, Config{}, "f", mergedFile)
			s := r.serve(nil, "")
			sum := r.readSum(s)
			tt.between(t, r)
			text, ok := r.patchSeen(s, sum, tt.lenient)
			data, err := os.ReadFile(filepath.Join(r.dir, "f"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), tt.want) || !strings.Contains(text, tt.says) || ok != strings.Contains(tt.want, "SEVEN") {
				t.Errorf("%t\n%s\n%s", ok, text, data)
			}
			if ok && !strings.Contains(string(data), "\nTWO\n") {
				t.Errorf("what was changed meanwhile is lost:\n%s", data)
			}
		})
	}
}

// saved returns what a person does who changes a line.
func saved(line, by string) func(*testing.T, *testClient) {
	return func(t *testing.T, r *testClient) {
		if err := os.WriteFile(filepath.Join(r.dir, "f"), []byte(strings.Replace(mergedFile, line, by, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
