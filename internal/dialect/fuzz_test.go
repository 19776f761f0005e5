package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func FuzzParseEmend(f *testing.F)     { fuzzParse(f, Emend) }
func FuzzParseComma(f *testing.F)     { fuzzParse(f, Comma) }
func FuzzParseCodex(f *testing.F)     { fuzzParse(f, Codex) }
func FuzzParseSupyagent(f *testing.F) { fuzzParse(f, Supyagent) }
func FuzzParseChimera(f *testing.F)   { fuzzParse(f, Chimera) }

func FuzzParseUnified(f *testing.F)       { fuzzParse(f, Unified) }
func FuzzParseSearchReplace(f *testing.F) { fuzzParse(f, SearchReplace) }

func fuzzParse(f *testing.F, d *Dialect) {
	for _, text := range examples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []Options{{}, {Lenient: true}} {
			if err := sane(d, text, o); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// sane checks what holds for every text: the values make sense, or the refusal names a line.
func sane(d *Dialect, text string, o Options) error {
	got, err := d.Parse(text, o)
	if err != nil {
		return saneRefusal(err, text)
	}
	if len(got.Patch.Sections) == 0 {
		return errors.New("no sections")
	}
	last := 0
	for _, s := range got.Patch.Sections {
		if s.Line <= last || s.Path == "" || s.Op < patch.Add || s.Op > patch.Copy || (s.To != "") != (s.Op == patch.Move || s.Op == patch.Copy) {
			return fmt.Errorf("section %+v", s)
		}
		last = s.Line
		for _, h := range s.Hunks {
			if err := saneHunk(h); err != nil {
				return err
			}
			if h.Line <= last {
				return fmt.Errorf("hunk on line %d, after line %d", h.Line, last)
			}
			last = h.Line
		}
	}
	return nil
}

func saneHunk(h patch.Hunk) error {
	for _, l := range h.Lines {
		if l == "" || !strings.ContainsAny(string(l[:1]), " -+") || strings.ContainsAny(string(l), "\n\x00") {
			return fmt.Errorf("line %q", string(l))
		}
	}
	if len(h.Lines) == 0 || h.Blank >= len(h.Lines) || slices.ContainsFunc(h.Lines[len(h.Lines)-h.Blank:], func(l patch.Line) bool { return l != " " }) {
		return fmt.Errorf("%d blank lines at the end of %q", h.Blank, h.Lines)
	}
	old, new := lastOldAndNew(h.Lines)
	if h.OldOpen && old < 0 || h.NewOpen && new < 0 || slices.Contains(h.Anchors, "") {
		return fmt.Errorf("hunk %+v", h)
	}
	return nil
}

func saneRefusal(err error, text string) error {
	e, ok := errors.AsType[*fail.Error](err)
	lines := countLines(text)
	if strings.Contains(text, `\n`) { // a line of a JSON string
		lines += strings.Count(text, `\n`)
	}
	if strings.Contains(text, `\u`) {
		lines += strings.Count(text, `\u`)
	}
	if !ok || e.Kind != fail.PatchParse || e.Msg == "" || e.Hint == "" || e.Line < 1 || e.Line > lines {
		return fmt.Errorf("refused with %+v in %d lines", err, lines)
	}
	longest := 2000 + min(len(e.Path), 4200) // a path is told whole while a system would take it
	if len(e.Error()) > longest || len(e.Hint) > 2000 || strings.Contains(e.Msg, "\n") {
		return fmt.Errorf("a refusal of %d bytes: %q", len(e.Error()), e.Msg)
	}
	return nil
}

func FuzzDetect(f *testing.F) {
	for _, text := range examples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var claims []string
		for _, d := range All {
			if d.Claims != nil && d.Claims(text) {
				claims = append(claims, d.Name)
			}
		}
		if len(claims) > 1 {
			t.Fatalf("%q is claimed by %q", text, claims)
		}
		d, err := Detect(text)
		again, _ := Detect(text)
		switch {
		case again != d:
			t.Fatalf("%q is found twice, differently", text)
		case err != nil:
			if err := saneRefusal(err, text); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		case !slices.Equal(claims, []string{d.Name}):
			t.Fatalf("%q is claimed by %q and found to be %s", text, claims, d.Name)
		}
	})
}

func FuzzPrintParse(f *testing.F) {
	for _, text := range examples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range All {
			got, err := d.Parse(text, Options{})
			if err != nil {
				continue
			}
			if err := comesBack(d, got.Patch); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
