package guard

import (
	"errors"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestWindowsPath checks what becomes of the spellings that Windows has for paths, in a workspace on drive C and in one on a share.
func TestWindowsPath(t *testing.T) {
	for _, tc := range []struct{ path, volume, want string }{
		{`src\main.go`, "C:", "src/main.go"},
		{`src/sub\main.go`, "C:", "src/sub/main.go"},
		{`..\a`, "C:", "../a"},
		{`.\a`, "C:", "./a"},
		{`C:\work\a.txt`, "C:", "C:/work/a.txt"},
		{`c:/work/a.txt`, "C:", "c:/work/a.txt"},
		{`\\server\share\a.txt`, `\\server\share`, "//server/share/a.txt"},
		{`//SERVER/Share/a.txt`, `\\server\share`, "//SERVER/Share/a.txt"},
		{"console.log", "C:", "console.log"},
		{"a~1.txt", "C:", "a~1.txt"}, // judged by what the directory lists
	} {
		if got, err := windowsPath(tc.path, tc.volume); got != tc.want || err != nil {
			t.Errorf("%q: %q, %v", tc.path, got, err)
		}
	}
	for _, tc := range []struct {
		path, volume string
		kind         fail.Kind
	}{
		{`C:a.txt`, "C:", fail.CommandFailed},                            // on drive C, from wherever the process is there
		{`C:`, "C:", fail.CommandFailed},                                 //
		{`\\?\C:\work\a.txt`, "C:", fail.CommandFailed},                  // past every rule of Windows
		{`\\.\C:`, "C:", fail.CommandFailed},                             // the disk itself
		{`//?/C:/work/a.txt`, "C:", fail.CommandFailed},                  //
		{`\??\C:\work\a.txt`, "C:", fail.CommandFailed},                  //
		{`\\evil\share\a.txt`, "C:", fail.OutsideWorkspace},              // asking for it would log in there
		{`\\evil\share\a.txt`, `\\server\s`, fail.OutsideWorkspace},      //
		{`a.txt:stream`, "C:", fail.CommandFailed},                       // content that no listing shows
		{`a.txt::$DATA`, "C:", fail.CommandFailed},                       // a.txt, past rules for its name
		{`dir:x/a.txt`, "C:", fail.CommandFailed},                        //
		{`NUL`, "C:", fail.CommandFailed},                                //
		{`sub\con.txt`, "C:", fail.CommandFailed},                        //
		{`.env.`, "C:", fail.CommandFailed},                              // .env
		{`.git \config`, "C:", fail.CommandFailed},                       // .git/config
		{`sub...\a`, "C:", fail.CommandFailed},                           //
		{`a?.txt`, "C:", fail.CommandFailed},                             // a pattern
		{`C:\work\a.txt:stream`, "C:", fail.CommandFailed},               //
		{`\\server\share\a.txt:x`, `\\server\share`, fail.CommandFailed}, //
	} {
		got, err := windowsPath(tc.path, tc.volume)
		if err == nil {
			err = checkWindowsNames(got, splitNames(strings.TrimPrefix(got, "C:")))
		}
		if !errors.Is(err, tc.kind) {
			t.Errorf("%q: %q, %v", tc.path, got, err)
		}
	}
}
