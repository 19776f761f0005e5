package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
)

// changes are difficult for a line-by-line diff.
var changes = []draft.Change{
	{Path: "plain", Old: "a\nb\nc\n", New: "a\nB\nc\n", HasOld: true, HasNew: true},
	{Path: "crlf", Old: "a\r\nb\r\n", New: "a\r\nB\r\n", HasOld: true, HasNew: true},
	{Path: "mixed", Old: "a\r\nb\nc\rd\n", New: "a\r\nb\r\nc\rD\n", HasOld: true, HasNew: true},
	{Path: "loses its last newline", Old: "a\nb\n", New: "a\nb", HasOld: true, HasNew: true},
	{Path: "gains a last newline", Old: "a\nb", New: "a\nb\n", HasOld: true, HasNew: true},
	{Path: "latin-1", Old: "\xe9\n", New: "\xe8\n", HasOld: true, HasNew: true},
	{Path: "becomes empty", Old: "a\n", New: "", HasOld: true, HasNew: true},
	{Path: "was empty", Old: "", New: "a\n", HasOld: true, HasNew: true},
	{Path: "added", New: "a\n", HasNew: true},
	{Path: "added without a newline", New: "a", HasNew: true},
	{Path: "added empty", HasNew: true},
	{Path: "deleted", Old: "a\n", HasOld: true},
	{Path: "deleted empty", HasOld: true},
}

func TestPeers(t *testing.T) {
	for _, p := range peers {
		if _, err := exec.LookPath(p.args[0]); err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		verdicts, err := p.judge(t.Context(), changes)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if v.outcome != exact {
				t.Errorf("%s: %s: %v %s", p.name, changes[i].Path, v.outcome, v.why)
			}
		}
	}
}

// TestPeerThatMinds: a peer refuses a whole batch because of one change; the others must still be judged.
func TestPeerThatMinds(t *testing.T) {
	for _, p := range peers {
		bad := append([]draft.Change{}, changes...)
		bad[3].Old, bad[3].HasOld = "", false // "there is no such file yet" ...
		bad[3].HasNew = false                 // ... "and it goes"
		verdicts, err := p.judge(t.Context(), bad)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if (i == 3) != (v.outcome == failed) {
				t.Errorf("%s: %s: %v %s", p.name, bad[i].Path, v.outcome, v.why)
			}
		}
	}
}

func TestReason(t *testing.T) {
	a := reason(&fail.Error{Kind: fail.BinaryFile, Msg: `line 12 of "a\"b" ends in CRLF`})
	b := reason(fail.List{{Kind: fail.BinaryFile, Msg: `line 3 of "c" ends in CRLF`}})
	if a != b || a != `binary_file: line N of "…" ends in CRLF` {
		t.Errorf("%q and %q", a, b)
	}
	e := &fail.Error{Kind: fail.CommandFailed, Msg: `its line end is "\r\n" where a patch of lines gives ""`}
	if got := reason(e); got != "command_failed: "+e.Msg {
		t.Errorf("line ends are lost: %s", got)
	}
	if v := unsayable(errors.New("out of order")); v.outcome != failed {
		t.Errorf("an error of no kind counts as %v", v.outcome)
	}
}

func TestStrict(t *testing.T) {
	no := verdict{refused, "r"}
	for _, ch := range changes {
		want := failed
		switch ch.Path {
		case "crlf", "mixed", "loses its last newline", "gains a last newline", "becomes empty", "was empty", "added without a newline", "added empty", "deleted empty":
			want = refused
		}
		if got := strict(dialect.Emend, no, ch); got.outcome != want {
			t.Errorf("refusing %s counts as %v, want %v", ch.Path, got.outcome, want)
		}
		if got := strict(dialect.Emend, verdict{exact, ""}, ch); got.outcome != exact {
			t.Errorf("%s: %v", ch.Path, got)
		}
	}
}

func TestSummary(t *testing.T) {
	s := newSummary(config{peers: true}, nil, nil)
	never := func() string { t.Error("asked for the smallest form of what is right"); return "" }
	s.note("git apply", verdict{exact, ""}, "m f", never)
	s.note("git apply", verdict{refused, "r"}, "m f", never)
	for range shown + 1 {
		s.note("git apply", verdict{wrong, "other bytes"}, "m f", func() string { return "small" })
	}
	if passed, bad := s.count(); passed != 2 || bad != shown+1 {
		t.Errorf("%d passed, %d bad", passed, bad)
	}
	text := s.String()
	if got := strings.Count(text, "small"); got != shown {
		t.Errorf("%d findings are shown, want %d:\n%s", got, shown, text)
	}
	if want := "| git apply | 1     | 1    | 6     | 0      |"; !strings.Contains(text, want) {
		t.Errorf("no row %q in\n%s", want, text)
	}
}
