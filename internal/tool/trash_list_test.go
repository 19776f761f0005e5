package tool

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestAgentsListTheTrash checks that an agent finds what restore_file takes: all that was deleted or overwritten and is still
// kept, and nothing else. The refusal of restore_file names the way.
func TestAgentsListTheTrash(t *testing.T) {
	ws := open(t, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "d": "d\n"})
	call := func(name, args string) string {
		t.Helper()
		r := Call(t.Context(), ws, name, []byte(args))
		if !r.OK() {
			t.Fatalf("%s %s: %s", name, args, r.Text())
		}
		return r.Text()
	}
	sum := func(path string) string {
		return regexp.MustCompile(`sha256 (\w+)`).FindStringSubmatch(call("read_file", fmt.Sprintf(`{"path":%q}`, path)))[1]
	}
	call("delete_file", `{"path":"a"}`)
	call("move_file", fmt.Sprintf(`{"fromPath":"b","toPath":"c","overwrite":true,"expectedSha256":%q}`, sum("b")))
	call("write_file", fmt.Sprintf(`{"path":"d","content":"x\n","expectedSha256":%q}`, sum("d")))
	list := call("history", `{"trash":true}`)
	ids := regexp.MustCompile(`in the trash as (\S+)`).FindAllStringSubmatch(list, -1)
	if len(ids) != 2 || strings.Count(list, "\n") != 1 {
		t.Fatalf("want a and c, and not what write_file replaced:\n%s", list)
	}
	for i, id := range ids {
		call("restore_file", fmt.Sprintf(`{"trashedPath":%q,"targetPath":"again%d"}`, id[1], i))
	}
	if list := call("history", `{"trash":true}`); strings.Contains(list, "in the trash") {
		t.Errorf("after all are restored:\n%s", list)
	}
	r := Call(t.Context(), ws, "restore_file", []byte(`{"trashedPath":"20200101-000000-aaaaaaaaaa.0"}`))
	if r.OK() || !strings.Contains(r.Text(), "List the trash with history and trash: true.") {
		t.Errorf("%s", r.Text())
	}
	if r := (Options{Profile: Comma}).Call(t.Context(), ws, "restore_file", []byte(`{"trashedPath":"20200101-000000-aaaaaaaaaa.0"}`)); strings.Contains(r.Text(), "history") {
		t.Errorf("comma has no tool history: %s", r.Text())
	}
}
