package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// TestLongDiff checks that a long diff is cut at the end of a line, and that nothing else in the result changes.
func TestLongDiff(t *testing.T) {
	lines := strings.Repeat("+a line that was written\n", 700)
	r := &report.Object{Ok: true, Output: strings.Repeat("o", 3*maxDiff), Data: report.Data{HunkCount: 1 << 60,
		ChangedFiles: []report.ChangedFile{{Path: "a", Diff: lines}, {Path: "b", Diff: "+short\n"}}}}
	told, err := toolResult(&tool.Tool{Mutates: true}, r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Output string
		Data   report.Data
	}
	if err := json.Unmarshal(told.StructuredContent.(json.RawMessage), &got); err != nil {
		t.Fatal(err)
	}
	head, more, ok := strings.Cut(got.Data.ChangedFiles[0].Diff, "… ")
	if !ok || len(head) > maxDiff || !strings.HasPrefix(lines, head) || !strings.HasSuffix(head, "\n") || !strings.Contains(more, "more bytes") {
		t.Errorf("the diff became %q", got.Data.ChangedFiles[0].Diff)
	}
	if got.Output != r.Output || got.Data.HunkCount != 1<<60 || got.Data.ChangedFiles[1].Diff != "+short\n" {
		t.Errorf("the rest became %+v", got)
	}
}
