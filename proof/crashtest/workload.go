package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// tree is the content of a directory, by slash-separated path. A directory has no text.
type tree map[string]entry

type entry struct {
	mode fs.FileMode
	text string
}

// work is a sequence of changes: the writer changes trees[0] to trees[1], and so on to the last.
type work struct {
	trees   []tree
	patches []string   // patches[t] changes trees[t] to trees[t+1]
	gone    [][]string // gone[t] are the contents that patches[t] replaces or deletes
}

// addBuilds adds to each tree directories that .gitignore names, as builds make them: each tree has them anew, one of them since the
// tree before and until the next.
func (w *work) addBuilds() {
	for i, t := range w.trees {
		t[".gitignore"] = entry{mode: 0o644, text: "build*/\n"}
		for _, top := range []string{"build", fmt.Sprintf("build%d", i)} {
			t[top] = entry{mode: fs.ModeDir | 0o755}
			t[top+"/sub"] = entry{mode: fs.ModeDir | 0o755}
			for n, size := range []int{10, 3000, 20_000} {
				text := strings.Repeat(fmt.Sprintf("%s of tree %d, file %d\n", top, i, n), size/24+1)
				t[fmt.Sprintf("%s/sub/f%d", top, n)] = entry{mode: 0o644, text: text}
				t[fmt.Sprintf("%s/f%d.sh", top, n)] = entry{mode: 0o755, text: text}
			}
		}
	}
}

// isBuilt reports whether a path is one that addBuilds made.
func isBuilt(p string) bool { return strings.HasPrefix(p, "build") }

var folders = []string{"", "a", "a/b", "c", "d"}

// newWork generates n transactions. Each updates three files, adds one, deletes one and moves one to another directory, half of
// the time with an edit. Contents have 37 bytes to 20 KB.
func newWork(seed uint64, n int) *work {
	m := maker{rng: rand.New(rand.NewPCG(seed, 0))}
	t := tree{}
	for _, d := range folders[1:] {
		t[d] = entry{mode: fs.ModeDir | 0o755}
	}
	for i := range 14 {
		mode := fs.FileMode(0o644)
		if i%5 == 0 {
			mode = 0o755
		}
		t[m.name(folders[i%len(folders)])] = entry{mode: mode, text: m.text()}
	}
	w := &work{trees: []tree{t}}
	for i := range n {
		m.next(w, i)
	}
	return w
}

type maker struct {
	rng   *rand.Rand
	names int
	lines int
}

// next adds transaction i to w.
func (m *maker) next(w *work, i int) {
	after := maps.Clone(w.trees[i])
	files := slices.DeleteFunc(slices.Sorted(maps.Keys(after)), func(p string) bool { return after[p].mode.IsDir() })
	m.rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n")
	var gone []string
	for _, p := range files[:3] {
		gone = append(gone, after[p].text)
		fmt.Fprintf(&patch, "*** Update File: %s\n%s", p, m.edit(after, p))
	}
	patch.WriteString(m.add(after, i))
	gone = append(gone, after[files[3]].text)
	fmt.Fprintf(&patch, "*** Delete File: %s\n", files[3])
	delete(after, files[3])
	if i%2 == 0 {
		gone = append(gone, after[files[4]].text)
	}
	patch.WriteString(m.move(after, files[4], i%2 == 0))
	patch.WriteString("*** End Patch\n")
	w.trees = append(w.trees, after)
	w.patches = append(w.patches, patch.String())
	w.gone = append(w.gone, gone)
}

// add adds a file to t, every other time in a new directory, and returns its section of the patch.
func (m *maker) add(t tree, i int) string {
	dir := folders[m.rng.IntN(len(folders))]
	if i%2 == 1 {
		dir = fmt.Sprintf("new%d", i)
		t[dir] = entry{mode: fs.ModeDir | 0o755}
	}
	p, text := m.name(dir), m.text()
	t[p] = entry{mode: 0o644, text: text}
	return fmt.Sprintf("*** Add File: %s\n", p) + prefixed("+", text)
}

// move moves the file p to another directory, and returns its section of the patch.
func (m *maker) move(t tree, p string, edit bool) string {
	hunks := ""
	if edit {
		hunks = m.edit(t, p)
	}
	at := slices.Index(folders, strings.TrimPrefix(path.Dir(p), "."))
	to := m.name(folders[(at+1+m.rng.IntN(len(folders)-1))%len(folders)])
	t[to] = t[p]
	delete(t, p)
	return fmt.Sprintf("*** Update File: %s\n*** Move to: %s\n", p, to) + hunks
}

// edit changes one to three lines of the file p, and returns the hunks.
func (m *maker) edit(t tree, p string) string {
	e := t[p]
	lines := strings.SplitAfter(strings.TrimSuffix(e.text, "\n"), "\n")
	var hunks, text strings.Builder
	step := max(3, len(lines)/3)
	first := m.rng.IntN(min(step, len(lines)))
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n") + "\n"
		if i < first || (i-first)%step != 0 {
			text.WriteString(line)
			continue
		}
		now := m.line() + strings.Repeat(m.line(), m.rng.IntN(2))
		fmt.Fprintf(&hunks, "@@\n-%s%s", line, prefixed("+", now))
		text.WriteString(now)
	}
	t[p] = entry{mode: e.mode, text: text.String()}
	return hunks.String()
}

// prefixed puts sign before every line of text.
func prefixed(sign, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(sign + line)
	}
	return b.String()
}

func (m *maker) name(dir string) string {
	m.names++
	return path.Join(dir, fmt.Sprintf("file%02d.txt", m.names))
}

// text returns a text with a size that file systems store in different ways: in the inode, in one block, in several.
func (m *maker) text() string {
	size := []int{37, 37, 300, 1500, 4070, 9000, 20000}[m.rng.IntN(7)]
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(m.line())
	}
	return b.String()
}

// line returns a unique line of 37 bytes.
func (m *maker) line() string {
	m.lines++
	return fmt.Sprintf("line %06d %016x %07x\n", m.lines, m.rng.Uint64(), m.rng.Uint32()>>4)
}
