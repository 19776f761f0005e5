package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// The engine counts paths from the root of the workspace. A person reads and writes them from where they stand, as with ls and
// git, unless --root-relative is given. Results as JSON, and diffs, always count from the root.

// shown returns a path of the root as it is from the directory in which the person stands.
func (a *app) shown(path string) string { return fromDir(a.base, path) }

// fromDir returns a path as it is from base. Both count from the root, and end in no slash.
func fromDir(base, path string) string {
	if base == "" || base == "." || path == "" || path[0] == '/' {
		return path
	}
	dirs := strings.Split(base, "/")
	rest := path
	common := 0
	for _, dir := range dirs {
		below, ok := strings.CutPrefix(rest+"/", dir+"/")
		if !ok {
			break
		}
		rest, common = strings.TrimSuffix(below, "/"), common+1
	}
	if path == "." {
		rest = ""
	}
	up := strings.TrimSuffix(strings.Repeat("../", len(dirs)-common), "/")
	switch {
	case up == "" && rest == "":
		return "."
	case up == "":
		return rest
	case rest == "":
		return up
	}
	return up + "/" + rest
}

// shownEntry returns an entry with its paths as a person reads them.
func (a *app) shownEntry(e *api.LogEntry) *api.LogEntry {
	out := *e
	out.Path, out.ToPath = a.shown(e.Path), a.shown(e.ToPath)
	return &out
}

// shownPaths returns a writer for lines that begin with a path of the root. It passes them on as a person reads the path.
func (a *app) shownPaths(w io.Writer) *pathWriter {
	return &pathWriter{w: w, dirs: strings.Split(report.OneLine(a.base), "/"), plain: a.base == "" || a.base == "."}
}

// pathWriter translates the path at the beginning of each line. It holds at most one line.
type pathWriter struct {
	w     io.Writer
	dirs  []string // from the root to where the person stands, as lines spell them
	plain bool     // nothing is to be translated
	line  []byte   // the beginning of a line whose end is not written yet
	buf   []byte
}

func (p *pathWriter) Write(b []byte) (int, error) {
	if p.plain {
		return p.w.Write(b)
	}
	p.buf = p.buf[:0]
	for rest := b; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			p.line = append(p.line, rest...)
			break
		}
		line := rest[:i+1]
		if len(p.line) > 0 {
			line = append(p.line, line...)
			p.line = p.line[:0]
		}
		p.buf = p.appendLine(p.buf, line)
		rest = rest[i+1:]
	}
	if _, err := p.w.Write(p.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}

// appendLine appends a line with its path translated. The names in it are whole: a slash ends each.
func (p *pathWriter) appendLine(out, line []byte) []byte {
	common := 0
	for _, dir := range p.dirs {
		if len(line) <= len(dir) || string(line[:len(dir)]) != dir || line[len(dir)] != '/' {
			break
		}
		line, common = line[len(dir)+1:], common+1
	}
	for range len(p.dirs) - common {
		out = append(out, "../"...)
	}
	if common == len(p.dirs) && (len(line) == 0 || line[0] == '\n') {
		out = append(out, "./"...)
	}
	return append(out, line...)
}
