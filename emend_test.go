package emend_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func TestPlan(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\ntwo\n")
	p, err := ws.Plan(t.Context(), emendtest.Envelope("*** Update File: a.txt", "@@", "-two", "+zwei"), api.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := p.Files()[0]
	if p.Dialect != "emend" || f.Op != patch.Update || f.Path != "a.txt" || f.Before != "one\ntwo\n" || f.After != "one\nzwei\n" {
		t.Errorf("plan: %s %v %s %q %q", p.Dialect, f.Op, f.Path, f.Before, f.After)
	}
	if h := f.Hunks; len(h) != 1 || h[0].Line != 2 || h[0].Rung != patch.Exact {
		t.Errorf("hunks: %+v", h)
	}
	if data, err := os.ReadFile(filepath.Join(ws.Root(), "a.txt")); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("the file is %q afterwards (%v)", data, err)
	}
}

func TestRefusal(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\ntwo\n")
	_, err := ws.Plan(t.Context(), emendtest.Envelope("*** Update File: a.txt", "@@", "-three", "*** Add File: a/b", "+x"), api.PatchOptions{})
	r, ok := errors.AsType[*emend.Refusal](err)
	if !ok {
		t.Fatalf("err = %#v", err)
	}
	if !errors.Is(err, fail.PatchApply) || errors.Is(err, fail.Stale) || len(r.Failures) != 2 {
		t.Errorf("failures: %v", err)
	}
	b, err := json.Marshal(r.Result())
	if err != nil || !strings.Contains(string(b), `"hunkIndex":0`) {
		t.Errorf("%s, %v", b, err)
	}
}

// TestHints: under auto, a refusal names the switch with which the text would have worked, and no switch that
// would guess.
func TestHints(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "  one\ntwo\n", "twice.txt", "x\nx\n")
	tests := []struct{ name, text, want string }{
		{"lenient", emendtest.Envelope("*** Add File: new/b.txt", "+x"), "--lenient"},
		{"lenient, around", "Here it is:\n" + emendtest.Envelope("*** Delete File: a.txt"), "--lenient"},
		{"lenient, indentation", emendtest.Envelope("*** Update File: a.txt", "@@", "-one", "+1"), "--lenient"},
		{"a dialect", emendtest.Envelope("*** Update File: a.txt", "@@", "-  one", "+  1", "*** Update File: a.txt", "@@", "-two", "+2"), "--dialect codex"},
		{"what would be replaced", emendtest.Envelope("*** Add File: a.txt", "+x"), ""},
		{"lines that belong anywhere", emendtest.Envelope("*** Update File: a.txt", "@@", "+x"), ""},
		{"a guess", emendtest.Envelope("*** Update File: twice.txt", "@@", "-x", "+1"), ""},
		{"a mark that chimera ignores", emendtest.Envelope("*** Update File: a.txt", "@@", "-two", `\ No newline at end of file`, "+2"), ""},
		{"an end of file that chimera ignores", emendtest.Envelope("*** Update File: a.txt", "@@", "-  one", "+1", "*** End of File"), ""},
		{"nothing helps", emendtest.Envelope("*** Update File: a.txt", "@@", "-three"), ""},
	}
	for _, tt := range tests {
		_, err := ws.Plan(t.Context(), tt.text, api.PatchOptions{})
		e, ok := errors.AsType[*fail.Error](err)
		if !ok {
			t.Fatalf("%s: err = %v", tt.name, err)
		}
		if got := strings.Contains(e.Hint, "would apply"); got != (tt.want != "") || !strings.Contains(e.Hint, tt.want) {
			t.Errorf("%s: hint %q, want %q in it", tt.name, e.Hint, tt.want)
		}
	}
}

func TestBase(t *testing.T) {
	ws := emendtest.Workspace(t, "sub/a.txt", "one\n")
	in, err := emend.Open(ws.Root(), emend.Base("sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := in.Plan(t.Context(), emendtest.Envelope("*** Delete File: a.txt"), api.PatchOptions{})
	if err != nil || p.Files()[0].Path != "sub/a.txt" {
		t.Errorf("%v, %v", p, err)
	}
}

func TestProtected(t *testing.T) {
	ws := emendtest.Workspace(t, ".git/config", "x\n")
	text := emendtest.Envelope("*** Update File: .git/config", "@@", "-x", "+y")
	if _, err := ws.Plan(t.Context(), text, api.PatchOptions{}); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("err = %v", err)
	}
	open, err := emend.Open(ws.Root(), emend.AllowProtected(".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := open.Plan(t.Context(), text, api.PatchOptions{}); err != nil {
		t.Errorf("allowed, but err = %v", err)
	}
}

func TestMakeAndConvert(t *testing.T) {
	text, err := emend.Make([]api.Change{{Path: "a", Old: "1\n2\n", New: "1\n3\n", HasOld: true, HasNew: true}}, "emend", 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range emend.Dialects() {
		out, _, err := emend.Convert(text, name, api.PatchOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ws := emendtest.Workspace(t, "a", "1\n2\n")
		p, err := ws.Plan(t.Context(), out, api.PatchOptions{Dialect: name})
		if err != nil || p.Files()[0].After != "1\n3\n" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if _, err := emend.Make(nil, "nonesuch", 3); !errors.Is(err, fail.CommandFailed) {
		t.Errorf("err = %v", err)
	}
}

// TestHugeLines: a line of 16 MB, in the patch or in the file, is read like any other, and no message repeats it.
func TestHugeLines(t *testing.T) {
	huge := strings.Repeat("a", 16<<20)
	ws := emendtest.Workspace(t, "f", huge+"\nx\n")
	for _, name := range append(emend.Dialects(), "auto") {
		for _, text := range []string{huge, emendtest.Envelope("*** Update File: f", "@@", "-b"+huge), emendtest.Envelope("*** Update File: "+huge, "@@", "-x"), emendtest.Envelope(huge)} {
			_, err := ws.Plan(t.Context(), text, api.PatchOptions{Dialect: name})
			r, ok := errors.AsType[*emend.Refusal](err)
			if !ok {
				t.Fatalf("%s: err = %v", name, err)
			}
			if out := r.Result().Text(); len(out) > 4000 && name != "codex" { // codex repeats the lines that it sought
				t.Errorf("%s: a message of %d bytes: %.200s…", name, len(out), out)
			}
		}
	}
	p, err := ws.Plan(t.Context(), emendtest.Envelope("*** Update File: f", "@@", " "+huge, "-x", "+y"), api.PatchOptions{})
	if err != nil || p.Files()[0].After != huge+"\ny\n" {
		t.Errorf("an edit below a huge line: %v", err)
	}
}

// TestFileDiff checks a diff without a header: it is about the one file that the options name, whatever its path is.
func TestFileDiff(t *testing.T) {
	ws := emendtest.Workspace(t, "a.txt", "one\ntwo\n", "b.txt", "one\ntwo\n")
	odd := " *** End Patch -> x"
	if runtime.GOOS == "windows" {
		odd = " x" // the others are no names there
	}
	apply := func(op patch.Op, path, text, key string) (*emend.Report, error) {
		return ws.Apply(t.Context(), text, api.PatchOptions{File: &api.FileDiff{Op: op, Path: path}, IdempotencyKey: key})
	}
	if _, err := apply(patch.Add, "dir/"+odd, "+x\n", ""); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(ws.Root(), "dir", odd)); err != nil || string(data) != "x\n" {
		t.Errorf("%q, %v", data, err)
	}
	// The same text with the same key, for another file, is another request.
	const diff = "@@\n-two\n+zwei\n"
	if _, err := apply(patch.Update, "a.txt", diff, "key"); err != nil {
		t.Error(err)
	}
	if r, err := apply(patch.Update, "a.txt", diff, "key"); err != nil || !r.Repeated {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := apply(patch.Update, "b.txt", diff, "key"); err == nil {
		t.Errorf("the key of another request is taken: %+v", r)
	}
	if _, err := apply(patch.Update, "b.txt", diff+"*** Delete File: a.txt\n", ""); !errors.Is(err, fail.PatchParse) {
		t.Error(err)
	}
	p, err := ws.Plan(t.Context(), diff, api.PatchOptions{File: &api.FileDiff{Op: patch.Update, Path: filepath.Join(ws.Root(), "b.txt")}})
	if err != nil || len(p.Files()) != 1 || p.Files()[0].Path != "b.txt" || p.Files()[0].After != "one\nzwei\n" {
		t.Errorf("%+v, %v", p, err)
	}
	e, err := ws.Explain(t.Context(), diff, api.PatchOptions{File: &api.FileDiff{Op: patch.Update, Path: "a.txt"}})
	if err != nil || e.Err() == nil {
		t.Errorf("%+v, %v", e, err)
	}
	text, _, err := emend.Convert(diff, "codex", api.PatchOptions{File: &api.FileDiff{Op: patch.Update, Path: "b.txt"}})
	if err != nil || text != emendtest.Envelope("*** Update File: b.txt", "@@", "-two", "+zwei") {
		t.Errorf("%q, %v", text, err)
	}
}
