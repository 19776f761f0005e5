package emendtest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// Trash returns the files in the trash.
func Trash(t *testing.T, ws *emend.Workspace) []api.Trashed {
	t.Helper()
	out, err := ws.Trash(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TrashPaths joins the operations and paths of files in the trash.
func TrashPaths(all []api.Trashed) string {
	var out []string
	for _, t := range all {
		out = append(out, t.Operation+" "+t.Path)
	}
	return strings.Join(out, ", ")
}

// Sum returns the sha256 of a text, in hex.
func Sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
