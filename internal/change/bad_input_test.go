package change_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// badFile is a file and what a patch makes of it, in each dialect.
const (
	badFile  = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
	badAfter = "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\n"
)

// goodPatch returns a patch in a dialect that changes the file f.
func goodPatch(t *testing.T, dialect string) string {
	t.Helper()
	text, err := emend.Make([]api.Change{{Path: "f", Old: badFile, New: badAfter, HasOld: true, HasNew: true}}, dialect, 3)
	if err != nil {
		t.Fatalf("%s: %v", dialect, err)
	}
	return text
}

// harmless reports whether a dialect takes a text for another one that it has, by its own rules: it changes nothing, or makes of a
// file what the good patch does.
func harmless(s *emendtest.Story, text string, o api.PatchOptions) bool {
	p, err := s.WS.Plan(s.Ctx, text, o)
	if err != nil {
		return false
	}
	for _, f := range p.Files() {
		if d := f.Diff(); strings.Contains(d, "@@") && !strings.Contains(d, "\n-four\n+FOUR\n") || strings.Count(d, "\n+") != strings.Count(d, "\n-") {
			return false
		}
	}
	return true
}

// refusesBad checks that a text is refused with a kind and words for it, that nothing changes, and what is answered stays short.
func refusesBad(s *emendtest.Story, what, text string, o api.PatchOptions) {
	s.Helper()
	was := s.Tree()
	rep, err := s.WS.Apply(s.Ctx, text, o)
	if err == nil {
		s.Errorf("%s, %s, lenient %t: it is applied: %.200s\n%.300q", what, o.Dialect, o.Lenient, rep.Summary(), text)
		return
	}
	r, ok := errors.AsType[*emend.Refusal](err)
	switch {
	case !ok || len(r.Failures) == 0:
		s.Errorf("%s, %s: %v is no refusal", what, o.Dialect, err)
	case r.Failures[0].Kind == fail.Unknown || r.Failures[0].Hint == "" || r.Failures[0].Msg == "":
		s.Errorf("%s, %s: refused with %+v", what, o.Dialect, r.Failures[0])
	case len(r.Result().Text()) > 20_000+len(text): // one dialect shows the lines that it looked for
		s.Errorf("%s, %s: the refusal has %d bytes", what, o.Dialect, len(r.Result().Text()))
	}
	if now := s.Tree(); now != was {
		s.Fatalf("%s, %s, lenient %t: refused, and the tree is\n%s", what, o.Dialect, o.Lenient, now)
	}
}

// dialectsAndAuto lists every dialect, and the recognition of one.
func dialectsAndAuto() []string { return append(emend.Dialects(), "auto") }

// TestBadInput: in every dialect, bad input is refused and changes nothing. The texts are made from what the dialect writes itself.
func TestBadInput(t *testing.T) {
	for _, name := range emend.Dialects() {
		t.Run(name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", badFile)
			good := goodPatch(t, name)
			if _, err := s.WS.Plan(s.Ctx, good, api.PatchOptions{Dialect: name}); err != nil {
				t.Fatalf("%v\n%s", err, good)
			}
			lines := strings.SplitAfter(good, "\n")
			lines = lines[:len(lines)-1]
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, "four\n") })
			put := func(i int, line string) string {
				return strings.Join(slices.Insert(slices.Clone(lines), i, line), "")
			}
			change := func(old, new string) string { return strings.Replace(good, old, new, 1) }
			texts := map[string]string{
				"nothing":                        "",
				"white space":                    " \n\t\n",
				"NUL in a line":                  change("four", "fo\x00ur"),
				"NUL in an added line":           change("FOUR", "FO\x00UR"),
				"NUL at the end":                 good + "\x00",
				"invalid UTF-8 in the path":      strings.ReplaceAll(good, "f\n", "f\xff\n"),
				"invalid UTF-8 in an old line":   change("four", "fo\xffur"),
				"invalid UTF-8 in the first":     "\xff" + good,
				"UTF-16":                         "\xff\xfe" + strings.Join(strings.Split(good, ""), "\x00"),
				"the text in itself":             put(at, good),
				"the text below itself":          good + good,
				"its lines in the reverse order": reverse(lines),
				"a huge path":                    strings.ReplaceAll(good, "f\n", strings.Repeat("d/", 1<<17)+"f\n"),
				"a huge line":                    change("four", strings.Repeat("4", 1<<18)),
				"its first line, often":          strings.Repeat(lines[0], 1<<16/len(lines[0])),
				"ten thousand hunks of nothing":  strings.Repeat("@@\n", 10_000),
			}
			for _, mark := range []string{"*** Begin Patch\n", "*** End Patch\n", "*** Update File: f\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "--- a/f\n+++ b/f\n", "diff --git a/f b/f\n"} {
				texts[fmt.Sprintf("%q in a hunk", mark)] = put(at, mark)
			}
			for what, text := range texts {
				for _, dialect := range []string{name, "auto"} {
					if what == "the text below itself" && !refusesTwice(s, good, dialect) {
						continue // the second finds what the first made, and is refused for that; or the text is one patch
					}
					if strings.HasSuffix(what, "in a hunk") && dialect != "auto" && harmless(s, text, api.PatchOptions{Dialect: dialect}) {
						continue // a line that this dialect may have there
					}
					refusesBad(s, what, text, api.PatchOptions{Dialect: dialect})
				}
			}
		})
	}
}

// refusesTwice reports whether a text twice in one is refused as a text.
func refusesTwice(s *emendtest.Story, good, dialect string) bool {
	_, err := s.WS.Plan(s.Ctx, good+good, api.PatchOptions{Dialect: dialect})
	return err != nil
}

func reverse(lines []string) string {
	out := slices.Clone(lines)
	slices.Reverse(out)
	return strings.Join(out, "")
}

// TestCutOff: a text that ends early is refused wherever it was cut, if the dialect has a way to tell: one that refuses its text
// without the last line. Leniently it may do what the whole text does, and nothing else.
func TestCutOff(t *testing.T) {
	for _, name := range emend.Dialects() {
		t.Run(name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", badFile)
			good := goodPatch(t, name)
			body := strings.TrimRight(good, "\n")
			_, err := s.WS.Plan(s.Ctx, good[:strings.LastIndexByte(body, '\n')+1], api.PatchOptions{Dialect: name})
			tells := err != nil
			for n := range body {
				for _, o := range []api.PatchOptions{{Dialect: name}, {Dialect: "auto"}, {Dialect: name, Lenient: true}} {
					if _, err := s.WS.Plan(s.Ctx, good[:n], o); !tells && err == nil || o.Lenient && harmless(s, good[:n], o) {
						continue
					}
					refusesBad(s, fmt.Sprintf("cut off after %d bytes, %q", n, good[max(0, n-20):n]), good[:n], o)
				}
			}
		})
	}
}

// TestMixedFormats: of a text with parts in two formats nothing is applied, whichever comes first.
func TestMixedFormats(t *testing.T) {
	s := emendtest.NewStory(t, "f", badFile, "g", badFile)
	second := func(name string) string {
		text, err := emend.Make([]api.Change{{Path: "g", Old: badFile, New: badAfter, HasOld: true, HasNew: true}}, name, 3)
		s.Must(err)
		return text
	}
	for _, a := range emend.Dialects() {
		for _, b := range emend.Dialects() {
			first, other := goodPatch(t, a), second(b)
			if looksAlike(first, other) {
				continue // two patches in one format: TestBadInput
			}
			for _, o := range []api.PatchOptions{{Dialect: a}, {Dialect: b}, {Dialect: "auto"}} {
				own := map[string]string{a: first, b: other}[o.Dialect]
				if ignores(s, own, o) && harmless(s, first+other, o) {
					continue
				}
				refusesBad(s, a+" and "+b, first+other, o)
				refusesBad(s, a+" in "+b, strings.Replace(other, "\n", "\n"+first, 2), o)
			}
		}
	}
}

// ignores reports whether a dialect ignores text around its own, which it is given; "" for none.
func ignores(s *emendtest.Story, own string, o api.PatchOptions) bool {
	for _, text := range []string{"Text before it.\n" + own, own + "Text after it.\n"} {
		if _, err := s.WS.Plan(s.Ctx, text, o); own != "" && err == nil {
			return true
		}
	}
	return false
}

// looksAlike reports whether two texts begin with the same mark.
func looksAlike(a, b string) bool {
	mark := func(s string) string {
		for line := range strings.Lines(s) {
			for _, m := range []string{"***", "---", "diff", "<<<"} {
				if strings.HasPrefix(line, m) {
					return strings.Replace(m, "diff", "---", 1)
				}
			}
		}
		return ""
	}
	return mark(a) == mark(b)
}

// TestTooLarge: a text over the limit is refused before it is read, in every dialect.
func TestTooLarge(t *testing.T) {
	s := emendtest.NewStory(t, "f", badFile)
	small := s.Opened(s.WS.Root(), emend.WithLimits(api.Limits{PatchBytes: 1 << 10}))
	for _, name := range dialectsAndAuto() {
		good := goodPatch(t, strings.Replace(name, "auto", "emend", 1))
		refusesBad(small, "a huge text", good+strings.Repeat("\n", 1<<10), api.PatchOptions{Dialect: name})
	}
}
