package setup

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var server = jsonMember{[]string{"mcpServers", "emend"}, marshal(stdioEntry{Command: "/bin/emend", Args: []string{"serve"}})}

// TestPutLaysOut checks that a member is added in the layout of the file, and nothing else moves.
func TestPutLaysOut(t *testing.T) {
	one := jsonMember{[]string{"a", "x"}, marshal(1)}
	for _, tc := range []struct{ name, before, after string }{
		{"nothing", "", "{\n  \"a\": {\n    \"x\": 1\n  }\n}\n"},
		{"blanks", " \n", "{\n  \"a\": {\n    \"x\": 1\n  }\n}\n"},
		{"an empty object", "{}", "{\n  \"a\": {\n    \"x\": 1\n  }\n}"},
		{"tabs", "{\n\t\"b\": 2\n}\n", "{\n\t\"b\": 2,\n\t\"a\": {\n\t\t\"x\": 1\n\t}\n}\n"},
		{"CRLF", "{\r\n  \"b\": 2\r\n}\r\n", "{\r\n  \"b\": 2,\r\n  \"a\": {\r\n    \"x\": 1\r\n  }\r\n}\r\n"},
		{"one line", `{"b": 2}`, `{"b": 2, "a": {"x":1}}`},
		{"a trailing comma", "{\n  \"b\": 2,\n}", "{\n  \"b\": 2,\n  \"a\": {\n    \"x\": 1\n  },\n}"},
		{"a comment at the end", "{\n  \"b\": 2 // two\n  // more\n}", "{\n  \"b\": 2, // two\n  // more\n  \"a\": {\n    \"x\": 1\n  }\n}"},
		{"a comment alone", "{\n  // none yet\n}", "{\n  // none yet\n  \"a\": {\n    \"x\": 1\n  }\n}"},
		{"a comment in the last line", "{\n} // end", "{\n  \"a\": {\n    \"x\": 1\n  }\n} // end"},
		{"beside others", "{\n    \"a\": {\n        \"w\": 0\n    }\n}", "{\n    \"a\": {\n        \"w\": 0,\n        \"x\": 1\n    }\n}"},
		{"in the place of another", "{\"a\": {\"x\": /* was */ 7 }}", "{\"a\": {\"x\": /* was */ 1 }}"},
		{"there already", "{\"a\": {\"x\":\n1}}", "{\"a\": {\"x\":\n1}}"},
	} {
		got, err := one.put([]byte(tc.before))
		if err != nil || string(got) != tc.after {
			t.Errorf("%s: %v\ngot  %q\nwant %q", tc.name, err, got, tc.after)
		}
	}
}

// texts are JSON files in every layout that people have.
var texts = []string{
	"{}", "{}\n", "{ }", "{\n}\n", " {\n\n}\n\n", "{\n  // nothing\n}\n",
	`{"a":1}`, `{"a":1,}`, `{ "a": 1 /* one */ }`, `{"mcpServers":{}}`, `{"mcpServers":{"other":{"command":"x"}}}`,
	"{\n  \"mcpServers\": {\n    // mine\n    \"other\": {\n      \"command\": \"x\", // why\n    },\n  },\n  \"z\": [1, 2,],\n}\n",
	"{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": { \"command\": \"x\" }\r\n\t}\r\n}\r\n",
	"// head\n{\n  \"permissions\": { \"deny\": [ \"Read(./.env)\" ] }, // tail\n  \"b\": \"a // no comment\"\n}\n// end",
	"{\n  \"permissions\": {\n    \"allow\": [\"x\"],\n    \"deny\": [\n      \"Read(./.env)\", // secrets\n      \"Edit\"\n    ]\n  }\n}\n",
	"{\"permissions\": {\"deny\": []},\n \"mcpServers\":\n {\n}}",
	"{\n  \"a\": 1, \"b\": 2\n}", "{ \"a\": 1,\n  \"b\": 2 }", "{\n  \"a\": 1\n  , \"b\": 2\n}", "{\n  \"a\": 1\n/* last */}",
}

var denied = jsonList{[]string{"permissions", "deny"}, []string{"Edit", "Write"}}

// TestPutKeeps checks for every layout: a setting that was put is there, putting it twice is putting it once, every
// comment stays, and after its removal the text says what it said.
func TestPutKeeps(t *testing.T) {
	comment := regexp.MustCompile(`//[^\n"]*|/\*.*?\*/`)
	for _, text := range texts {
		for _, s := range []setting{server, denied} {
			put, err := s.put([]byte(text))
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if again, err := s.put(put); err != nil || string(again) != string(put) {
				t.Errorf("%q: put twice is %q, %v", put, again, err)
			}
			for _, c := range comment.FindAllString(text, -1) {
				if !strings.Contains(string(put), strings.TrimSpace(c)) {
					t.Errorf("%q: the comment %q is gone: %q", text, c, put)
				}
			}
			if _, list := s.(jsonList); list && strings.Contains(text, `"Edit"`) {
				continue // removed as well, although it was there before; the backup has it
			}
			dropped, err := s.remove(put)
			if err != nil || !alike(t, text, string(dropped)) {
				t.Errorf("%q\nput     %q\ndropped %q, %v", text, put, dropped, err)
			}
		}
	}
}

// alike reports whether two texts say the same, apart from empty objects and lists.
func alike(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := decodeJSON([]byte(a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := decodeJSON([]byte(b))
	return err == nil && reflect.DeepEqual(full(x), full(y))
}

func full(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e = full(e); e != nil {
				out[k] = e
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func TestPutRefuses(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"mcpServers": []}`, "not an object"},
		{`{"mcpServers": {"emend": 1, "emend": 2}}`, "twice"},
		{`[]`, "not an object"},
		{`{"mcpServers": {`, "EOF"},
		{`{} {}`, "invalid character"},
		{strings.Repeat("[", 2000), "deep"},
	} {
		if got, err := server.put([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.40s: %q, %v, want %q", tc.text, got, err, tc.want)
		}
	}
	if _, err := denied.put([]byte(`{"permissions": {"deny": "all"}}`)); err == nil || !strings.Contains(err.Error(), "not a list") {
		t.Errorf("a string in the place of a list: %v", err)
	}
}

// TestDropLaysOut checks that what is beside a removed member stays readable.
func TestDropLaysOut(t *testing.T) {
	x := jsonMember{path: []string{"x"}}
	for _, tc := range []struct{ before, after string }{
		{"{ // mine\n\"x\": 1 }", "{ // mine\n }"},
		{"{\"a\": 1, // c\n \"x\": 2 }", "{\"a\": 1 // c\n  }"},
		{"{\n  \"a\": 1,\n  \"x\": 2 // about x\n}", "{\n  \"a\": 1\n   // about x\n}"},
		{"{\n  \"x\": 2 /* c */,\n  \"b\": 1\n}", "{\n   /* c */\n  \"b\": 1\n}"},
		{"{\n  \"x\": 2,\n  \"b\": 1\n}", "{\n  \"b\": 1\n}"},
		{"{\n  \"a\": 1,\n  \"x\": 2,\n}", "{\n  \"a\": 1,\n}"},
		{`{"a": 1, "x": 2}`, `{"a": 1}`},
		{`{"x": 2}`, `{}`},
	} {
		got, err := x.remove([]byte(tc.before))
		if err != nil || string(got) != tc.after {
			t.Errorf("%q: %v\ngot  %q\nwant %q", tc.before, err, got, tc.after)
		}
	}
}

// TestChangeIsProved checks that an edit is refused if it changes anything else.
func TestChangeIsProved(t *testing.T) {
	for _, with := range []string{"2", "1, \"b\": 2", "}"} {
		edit := func(t *jsonDoc) error { t.splice(6, 7, with); return nil }
		if got, err := editJSON([]byte(`{"a": 1}`), edit, func(any) {}); err == nil {
			t.Errorf("%q passed", got)
		}
	}
}

// FuzzPut checks that no text makes an edit panic, and that an edit has nothing left to do after itself.
func FuzzPut(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if jsonC.check([]byte(text)) != nil {
			return
		}
		for _, s := range []setting{server, denied} {
			put, err := s.put([]byte(text))
			if err != nil {
				continue
			}
			if again, err := s.put(put); err != nil || string(again) != string(put) {
				t.Fatalf("put twice: %q, then %q, %v", put, again, err)
			}
			if _, there := s.current(put); !there {
				t.Fatalf("%q: it was put and is not there", put)
			}
			if out, err := s.remove(put); err == nil {
				if _, there := s.current(out); there {
					t.Fatalf("%q: it was dropped and is still there", out)
				}
			}
		}
	})
}
