package web

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/web/diff"
)

// Editor is how links of the pages open a file: an address with {path}, the absolute path of the file, and {line}.
type Editor string

// editors are the addresses of well-known editors, as their makers document them.
var editors = map[string]Editor{
	"vscode":   "vscode://file{path}:{line}",
	"vscodium": "vscodium://file{path}:{line}",
	"cursor":   "cursor://file{path}:{line}",
	"windsurf": "windsurf://file{path}:{line}",
	"zed":      "zed://file{path}:{line}",
	"idea":     "idea://open?file={path}&line={line}",
	"goland":   "goland://open?file={path}&line={line}",
	"pycharm":  "pycharm://open?file={path}&line={line}",
	"webstorm": "webstorm://open?file={path}&line={line}",
}

// EditorNames returns the names that [ParseEditor] knows.
func EditorNames() (names []string) {
	for name := range editors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var editorScheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z][a-z0-9+.-]*):`) })

// ParseEditor returns the editor with a name, or with an address that has {path} in it. An address that a browser itself would open or
// run is no editor's.
func ParseEditor(text string) (Editor, error) {
	if e, ok := editors[text]; ok {
		return e, nil
	}
	m := editorScheme().FindStringSubmatch(text)
	if m == nil || !strings.Contains(text, "{path}") || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", fmt.Errorf("%q is not an editor: name one of %s, or an address such as vscode://file{path}:{line}", text, strings.Join(EditorNames(), ", "))
	}
	if slices.Contains([]string{"http", "https", "ws", "wss", "ftp", "file", "javascript", "data", "blob", "about", "view-source", "vbscript", "filesystem", "chrome", "mailto"}, m[1]) {
		return "", fmt.Errorf("%q is an address for the browser: name that of an editor", text)
	}
	return Editor(text), nil
}

// address returns the address that opens a file.
func (e Editor) address(file string, line int) string {
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") {
		file = "/" + file // C:/dir
	}
	return strings.NewReplacer("{path}", escapePath(file), "{line}", strconv.Itoa(max(line, 1))).Replace(string(e))
}

// escapePath escapes all that has a meaning in some part of an address, but for slashes and the colon of a drive.
func escapePath(file string) string {
	var b strings.Builder
	for i := range len(file) {
		c := file[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-._~", c) >= 0, c == ':' && i == 2:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// editorAddress returns the page that opens the file of a diff at its first change; "" if no editor is set.
func (r *request) editorAddress(v *diffView) string {
	if r.site.Editor == "" || v.File.Op == diff.Deleted {
		return ""
	}
	return r.ws.With("editor", "path", v.File.Path(), "line", strconv.Itoa(v.File.FirstLine()))
}

// editor sends the browser to the editor's address for a file. No page has that address itself: html/template drops addresses with
// schemes that it does not know, and stays that strict. The file must exist and may be read, as on its page.
func (s *Site) editor(w http.ResponseWriter, r *request) {
	q := r.URL.Query()
	line, _ := strconv.Atoi(q.Get("line"))
	if s.Editor == "" {
		s.show(w, r, notFoundPage("no editor is set", "Start emend ui with --editor."))
		return
	}
	h, err := r.ws.FileHistory(r.Context(), q.Get("path"), 1)
	if err == nil && !h.Exists {
		err = &fail.Error{Kind: fail.NotFound, Path: h.Path, Msg: "the file does not exist now"}
	}
	if err != nil {
		s.show(w, r, r.errorPageOf(err))
		return
	}
	w.Header().Set("Location", s.Editor.address(filepath.Join(r.ws.Root(), filepath.FromSlash(h.Path)), line))
	w.WriteHeader(http.StatusSeeOther)
}
