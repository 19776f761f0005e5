package tool

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBadArguments: whatever happens to the bytes of a call on its way, every tool of every profile refuses it in few words, and nothing
// changes: arguments that are cut off, have a NUL or bytes that are no UTF-8, or are huge.
func TestBadArguments(t *testing.T) {
	for _, p := range Profiles {
		for _, tool := range (Options{Profile: p}).Tools() {
			t.Run(p.Name+"/"+tool.Name, func(t *testing.T) {
				ws := open(t, map[string]string{"keep.txt": "keep\n"})
				o := Options{Profile: p}
				refused := func(what, args string) {
					t.Helper()
					r := o.Call(t.Context(), ws, tool.Name, json.RawMessage(args))
					if r.OK() || len(r.Text()) > 10_000 || r.Text() == "" || strings.Contains(r.Text(), "report it") {
						t.Errorf("%s: ok %t: %.300q", what, r.OK(), r.Text())
					}
				}
				example := tool.Example
				if !json.Valid([]byte(example)) {
					t.Fatalf("the example is no JSON: %s", example)
				}
				for n := range example {
					if n > 0 {
						refused("cut off", example[:n])
					}
					refused("NUL", example[:n]+"\x00"+example[n:])
					refused("no UTF-8", example[:n]+"\xff"+example[n:])
				}
				refused("two of them", example+example)
				refused("a huge name", `{"`+strings.Repeat("x", 1<<20)+`":1,`+example[1:])
				refused("deep", `{"path":`+strings.Repeat("[", 1<<16))
				if entries, err := os.ReadDir(ws.Root()); err != nil {
					t.Error(err)
				} else {
					for _, e := range entries {
						if e.Name() != "keep.txt" && e.Name() != ".emend" {
							t.Errorf("there is %s", e.Name())
						}
					}
				}
			})
		}
	}
}
