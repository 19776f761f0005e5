package change_test

import (
	"errors"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/internal/text"
)

// TestNotebooksStayJSON: no edit of text, in whatever way it is sent, makes a notebook something that is no JSON. An undo may: it
// gives back what was there.
func TestNotebooksStayJSON(t *testing.T) {
	const before = "{\n\"cells\": []\n}\n"
	patched := emendtest.Envelope("*** Update File: n.ipynb", "@@", "-\"cells\": []", "+\"cells\": [")
	for name, edit := range map[string]func(s *emendtest.Story) error{
		"patch": func(s *emendtest.Story) error {
			_, err := s.WS.Apply(s.Ctx, patched, api.PatchOptions{})
			return err
		},
		"patch, section by section": func(s *emendtest.Story) error {
			_, err := s.WS.Apply(s.Ctx, patched, api.PatchOptions{Sequential: true})
			return err
		},
		"plan": func(s *emendtest.Story) error {
			_, err := s.WS.Plan(s.Ctx, patched, api.PatchOptions{})
			return err
		},
		"write": func(s *emendtest.Story) error {
			_, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: "n.ipynb", Content: "{", ExpectedSha256: text.Sum(before)})
			return err
		},
		"edit": func(s *emendtest.Story) error {
			_, err := s.WS.Edit(s.Ctx, api.EditRequest{Path: "n.ipynb", ExpectedSha256: text.Sum(before), Edits: []api.TextEdit{{OldText: "[]", NewText: "["}}})
			return err
		},
		"insert": func(s *emendtest.Story) error {
			_, err := s.WS.Host().Insert(s.Ctx, api.InsertRequest{Path: "n.ipynb", After: 1, Text: "x"})
			return err
		},
	} {
		s := emendtest.NewStory(t, "n.ipynb", before)
		err := edit(s)
		if e, ok := errors.AsType[*fail.Error](err); !ok || e.Path != "n.ipynb" || s.Read("n.ipynb") != before {
			t.Errorf("%s: %v, %q", name, err, s.Read("n.ipynb"))
		}
	}
}
