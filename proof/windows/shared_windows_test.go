package windows

import (
	"maps"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// What another program has open, and denies others, makes a change be refused. Nothing is changed then, and when the program has
// closed the file, the same change is made.
func TestHeldFiles(t *testing.T) {
	const read, write, remove = windows.FILE_SHARE_READ, windows.FILE_SHARE_WRITE, windows.FILE_SHARE_DELETE
	for _, tt := range []struct {
		name          string
		access, share uint32
		file          string
		mayBeDone     bool // a system may do it all the same
	}{
		{"nothing is shared", windows.GENERIC_READ, 0, "a.txt", false},
		{"nothing is shared, of a file that goes", windows.GENERIC_READ, 0, "gone.txt", false},
		{"nothing is shared, of a file that moves", windows.GENERIC_READ, 0, "m.txt", false},
		{"only reading is shared", windows.GENERIC_READ, read, "b/b.txt", false},
		{"reading and writing are shared", windows.GENERIC_READ, read | write, "c.txt", false},
		{"it is open for writing", windows.GENERIC_READ | windows.GENERIC_WRITE, read | write | remove, "a.txt", true},
		{"all is shared", windows.GENERIC_READ, read | write | remove, "a.txt", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, files)
			patch, before := p.aside("p", everything), p.tree()
			h, err := windows.CreateFile(windows.StringToUTF16Ptr(p.path(tt.file)), tt.access, tt.share, nil, windows.OPEN_EXISTING, 0, 0)
			must(t, err)
			got := p.run("apply", "--dialect", "codex", patch)
			must(t, windows.CloseHandle(h))
			now := p.tree()
			switch {
			case got.code == 0 && !tt.mayBeDone:
				t.Errorf("applied: %s", got.out)
			case got.code != 0 && !maps.Equal(now, before):
				t.Errorf("refused, and it differs in %q: %s", differ(now, before), got.out)
			case got.code != 0 && !strings.Contains(got.out, tt.file):
				t.Errorf("the refusal does not name the file: %s", got.out)
			}
			t.Logf("exit code %d: %s", got.code, strings.TrimSpace(got.out))
			if got.code != 0 {
				p.do("recover")
				p.do("apply", "--dialect", "codex", patch)
			}
			p.do("undo")
			if now := p.tree(); !maps.Equal(now, before) {
				t.Errorf("after undo it differs in %q", differ(now, before))
			}
			p.do("verify")
		})
	}
}
