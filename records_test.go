package emend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestRecords reads the log in parts and follows the chain by the lines alone.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := emend.Open(dir, emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := ws.Create(t.Context(), api.CreateRequest{Path: name, Content: name + "\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ws.Delete(t.Context(), api.DeleteRequest{Path: ".env"}); err != nil {
		t.Fatal(err)
	}
	other, err := emend.Open(dir) // one that may not read the protected file
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	var head api.Head
	var withheld, files int
	for {
		got, err := other.Host().Records(t.Context(), api.RecordsRequest{After: head, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Known {
			t.Fatalf("the log does not know %v", head)
		}
		if len(got.Records) == 0 {
			if got.Head != head {
				t.Errorf("it ended at %v, and the head is %v", head, got.Head)
			}
			break
		}
		if len(got.Records) > 2 {
			t.Errorf("%d records, want 2 at most", len(got.Records))
		}
		for _, r := range got.Records {
			if r.Withheld {
				withheld++
			} else {
				parsed, err := emend.ParseRecord(r.Line)
				if err != nil {
					t.Fatal(err)
				}
				if parsed.H != r.H || parsed.Prev != r.Prev || parsed.Seq != r.Seq {
					t.Errorf("the line says %+v, the record %+v", parsed, r)
				}
				if strings.Contains(string(r.Line), ".env") {
					t.Errorf("a record of a protected file was not withheld: %s", r.Line)
				}
				files += len(parsed.Files)
			}
			if r.Seq != head.Seq+1 || r.Prev != head.H {
				t.Errorf("record %d with prev %s does not continue %v", r.Seq, r.Prev, head)
			}
			head = api.Head{Seq: r.Seq, H: r.H}
		}
	}
	if withheld != 1 || files != 3 {
		t.Errorf("%d withheld and %d files, want 1 and 3", withheld, files)
	}
	if got, err := other.Host().Records(t.Context(), api.RecordsRequest{After: api.Head{Seq: 2, H: strings.Repeat("0", 64)}}); err != nil || got.Known {
		t.Errorf("a head that is not in the log: known %v, %v", got != nil && got.Known, err)
	}
	if got, err := other.Host().Records(t.Context(), api.RecordsRequest{After: api.Head{Seq: 99, H: head.H}}); err != nil || got.Known {
		t.Errorf("a head beyond the log: known %v, %v", got != nil && got.Known, err)
	}
	line := []byte(`{"v":1,"seq":1}`)
	if _, err := emend.ParseRecord(line); err == nil {
		t.Error("a line without a hash was taken")
	}
}
