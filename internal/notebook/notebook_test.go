package notebook

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// written is a notebook as Jupyter writes it.
const written = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "c1",
   "metadata": {"tags": ["x"]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["1\n"]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

// TestRun: what each action makes of a notebook, and that the rest stays.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		edit     Edit
		old, new string // what is replaced in the text
		done     Done
	}{
		{Edit{Cell: "intro", Source: new("# New\n\n\"quoted\" \\ <b>")}, "    \"# Title\\n\",\n    \"text\"\n", "    \"# New\\n\",\n    \"\\n\",\n    \"\\\"quoted\\\" \\\\ <b>\"\n", Done{0, "intro", "markdown"}},
		{Edit{Cell: "0", Source: new("")}, "   \"source\": [\n    \"# Title\\n\",\n    \"text\"\n   ]", "   \"source\": []", Done{0, "intro", "markdown"}},
		{Edit{Cell: "0", Source: new("\n")}, "    \"# Title\\n\",\n    \"text\"\n", "    \"\\n\"\n", Done{0, "intro", "markdown"}},
		{Edit{Cell: "1", Source: new("print(2)\r\n")}, written[strings.Index(written, "3,\n   \"id\": \"c1\""):strings.Index(written, "\n  }\n ],")],
			"null,\n   \"id\": \"c1\",\n   \"metadata\": {\"tags\": [\"x\"]},\n   \"outputs\": [],\n   \"source\": [\n    \"print(2)\\n\"\n   ]", Done{1, "c1", "code"}},
		{Edit{Action: Delete, Cell: "intro"}, written[strings.Index(written, "{\n   \"cell_type\": \"markdown\""):strings.Index(written, "{\n   \"cell_type\": \"code\"")], "", Done{0, "intro", "markdown"}},
		{Edit{Action: Delete, Cell: "1"}, written[strings.Index(written, ",\n  {\n   \"cell_type\": \"code\""):strings.Index(written, "\n ],")], "", Done{1, "c1", "code"}},
		{Edit{Action: Insert, CellType: "markdown", Source: new("top")}, " \"cells\": [\n  {", " \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"ID\",\n   \"metadata\": {},\n   \"source\": [\n    \"top\"\n   ]\n  },\n  {", Done{0, "ID", "markdown"}},
		{Edit{Action: Insert, Cell: "c1", Source: new("x = 1\ny")}, "\n ],\n \"metadata\"", ",\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"ID\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"x = 1\\n\",\n    \"y\"\n   ]\n  }\n ],\n \"metadata\"", Done{2, "ID", "code"}},
	} {
		for _, ends := range []string{text.LF, text.CRLF} {
			in := func(s string) string { return strings.ReplaceAll(s, "\n", ends) }
			after, done, err := Run(in(written), tt.edit)
			if err != nil {
				t.Errorf("%+v: %v", tt.edit, err)
				continue
			}
			if tt.done.ID == "ID" {
				after, done.ID = strings.Replace(after, done.ID, "ID", 1), "ID"
			}
			if want := in(strings.Replace(written, tt.old, tt.new, 1)); after != want || done != tt.done {
				t.Errorf("%+v: %+v\n%s\nwant %+v\n%s", tt.edit, done, after, tt.done, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	twins := strings.Replace(strings.Replace(written, `"intro"`, `"same"`, 1), `"c1"`, `"same"`, 1)
	number := strings.Replace(written, `"intro"`, `"1"`, 1)
	for _, tt := range []struct {
		before string
		edit   Edit
		kind   fail.Kind
		says   string
	}{
		{written, Edit{Cell: "nosuch"}, fail.OldTextNotFound, "there are 2 cells"},
		{written, Edit{Cell: "2"}, fail.OldTextNotFound, "there are 2 cells"},
		{written, Edit{Cell: "-1"}, fail.OldTextNotFound, "there are 2 cells"},
		{written, Edit{}, fail.CommandFailed, "no cell is named"},
		{twins, Edit{Cell: "same"}, fail.MultipleMatches, `0 (id "same"), 1 (id "same")`},
		{number, Edit{Cell: "1"}, fail.MultipleMatches, "more than one"},
		{written, Edit{Cell: "0", Action: "append"}, fail.CommandFailed, "no action"},
		{written, Edit{Action: Insert, CellType: "heading"}, fail.CommandFailed, "no type of a cell"},
		{written, Edit{Cell: "0"}, fail.CommandFailed, "the source is missing"},
		{written, Edit{Cell: "0", Source: new("x"), CellType: "code"}, fail.CommandFailed, "a markdown cell"},
		{written, Edit{Cell: "0", Source: new("\xff")}, fail.CommandFailed, "not UTF-8"},
		{"", Edit{Cell: "0"}, fail.CommandFailed, "no notebook"},
		{"[]", Edit{Cell: "0"}, fail.CommandFailed, "no notebook"},
		{written + "x", Edit{Cell: "0"}, fail.CommandFailed, "behind the end"},
		{`{"cells":[],"cells":[],"nbformat":4}`, Edit{Action: Insert}, fail.CommandFailed, "comes twice"},
		{`{"worksheets":[],"nbformat":3}`, Edit{Action: Insert}, fail.CommandFailed, "nbformat of 4"},
		{`{"cells":[{"cell_type":"code"}],"nbformat":4}`, Edit{Cell: "0", Source: new("x")}, fail.CommandFailed, "no source"},
		{`{"cells":[1],"nbformat":4}`, Edit{Cell: "0"}, fail.CommandFailed, "cell 0"},
	} {
		after, _, err := Run(tt.before, tt.edit)
		if err == nil {
			t.Errorf("%+v: made %q", tt.edit, after)
			continue
		}
		if e := fail.All(err)[0]; e.Kind != tt.kind || !strings.Contains(e.Msg, tt.says) || e.Hint == "" {
			t.Errorf("%+v of %.40q: %s %q %q", tt.edit, tt.before, e.Kind, e.Msg, e.Hint)
		}
	}
}

func TestCheckEdit(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		ok                  bool
	}{
		{"a.ipynb", "{}", `{"a": 1}`, true},
		{"a.ipynb", "{}", `{"a": 1`, false},
		{"A.IPYNB", "{}", `{"a": 1`, false},
		{"a.ipynb", "{", `{"a": 1`, true},
		{"a.json", "{}", `{`, true},
	} {
		if err := CheckEdit(tt.name, tt.before, tt.after); (err == nil) != tt.ok {
			t.Errorf("%s %q %q: %v", tt.name, tt.before, tt.after, err)
		}
	}
}

// model is a notebook as another program reads it.
type model struct {
	Cells []map[string]any `json:"cells"`
	Rest  map[string]any
}

func decode(t *testing.T, data string) (m model) {
	t.Helper()
	for _, into := range []any{&m, &m.Rest} {
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, text.BOM)), into); err != nil {
			t.Fatalf("%v in %q", err, data)
		}
	}
	delete(m.Rest, "cells")
	return m
}

func source(cell map[string]any) string {
	if s, ok := cell["source"].(string); ok {
		return s
	}
	var out strings.Builder
	list, _ := cell["source"].([]any)
	for _, line := range list {
		s, _ := line.(string)
		out.WriteString(s)
	}
	return out.String()
}

// checkLaw: after an edit another program reads the cell as it was asked for, and everything else as before.
func checkLaw(t *testing.T, before string, e Edit) {
	t.Helper()
	after, done, err := Run(before, e)
	if err != nil {
		if e := fail.All(err)[0]; e.Kind == fail.Unknown || e.Hint == "" {
			t.Fatalf("%q %+v: %v", before, e, err)
		}
		return
	}
	was, is := decode(t, before), decode(t, after)
	others := slices.Clone(is.Cells)
	if e.Action == Delete {
		was.Cells = slices.Delete(was.Cells, done.Index, done.Index+1)
	} else {
		if got, want := source(is.Cells[done.Index]), strings.ReplaceAll(*e.Source, "\r\n", "\n"); got != want && source(map[string]any{"source": *e.Source}) != got {
			t.Fatalf("%q %+v: the source is %q", before, e, got)
		}
		others = slices.Delete(others, done.Index, done.Index+1)
	}
	if e.Action == Replace || e.Action == "" {
		was.Cells = slices.Delete(was.Cells, done.Index, done.Index+1)
	}
	if !reflect.DeepEqual(was.Cells, others) || !reflect.DeepEqual(was.Rest, is.Rest) {
		t.Fatalf("%q %+v became\n%q", before, e, after)
	}
}

// TestLaw: random edits of notebooks in many layouts.
func TestLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var m map[string]any
	if err := json.Unmarshal([]byte(written), &m); err != nil {
		t.Fatal(err)
	}
	compact, _ := json.Marshal(m)
	wide, _ := json.MarshalIndent(m, "", "\t")
	empty := `{"cells": [], "nbformat": 4}`
	for _, start := range []string{written, string(compact), string(wide), text.BOM + written, empty, "{\n  \"nbformat\": 4,\n  \"cells\": [\n  ]\n}"} {
		for range 50 {
			doc := start
			for range 8 {
				e := Edit{Action: []string{Replace, Insert, Delete}[rng.IntN(3)], Cell: []string{"", "0", "1", "2", "c1", "intro"}[rng.IntN(6)],
					Source: new([]string{"", "a", "a\n", "a\r\nb", "\n\n", "é“\"\\\t\u2028\x01", "</script>"}[rng.IntN(7)])}
				checkLaw(t, doc, e)
				if after, _, err := Run(doc, e); err == nil {
					doc = after
				}
			}
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(written, "insert", "c1", "x\ny")
	f.Add(`{"cells":[{"cell_type":"code","source":"a","outputs":[1]}],"nbformat":4}`, "", "0", "b")
	f.Add("{\n\"cells\":\n[\n{\"source\":[]},{}]\n,\"nbformat\":4}", "delete", "1", "")
	f.Fuzz(func(t *testing.T, before, action, cell, source string) {
		if !json.Valid([]byte(strings.TrimPrefix(before, text.BOM))) {
			if _, _, err := Run(before, Edit{Action: action, Cell: cell, Source: &source}); err == nil {
				t.Fatalf("%q is no JSON", before)
			}
			return
		}
		checkLaw(t, before, Edit{Action: action, Cell: cell, Source: &source})
	})
}

// BenchmarkRun: linear in the notebook.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		cells := strings.Repeat(`{"cell_type":"code","source":["print(1)\n"],"outputs":[]},`, n)
		doc := `{"cells":[` + cells[:len(cells)-1] + `],"nbformat":4}`
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, _, err := Run(doc, Edit{Cell: fmt.Sprint(n / 2), Source: new("x")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
