package find

import (
	"context"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

// Mode is what a search compares.
type Mode uint8

// The modes.
const (
	Text   Mode = iota // lines with a text
	Regexp             // lines with a match of an expression
	Paths              // names
)

// Searching says what to look for.
type Searching struct {
	Query   string
	Mode    Mode
	Include []string // only files that match one of these
	Exclude []string // no file or directory that matches one of these
	Fold    bool     // case does not count
	Context int      // lines around a match
	Most    int      // at most so many matches; 0 is any number
}

// Search returns the lines that match, by path and line; or the files, by path. The root of the search may be a file.
func Search(ctx context.Context, g *guard.Guard, o Options, q Searching) ([]Match, Outcome, error) {
	s := &search{o: &o, most: q.Most, links: q.Mode == Paths}
	if err := s.prepare(&q); err != nil {
		return nil, Outcome{}, err
	}
	return s.run(ctx, g)
}

func (s *search) run(ctx context.Context, g *guard.Guard) ([]Match, Outcome, error) {
	if s.o.Root.Kind == guard.Regular {
		return s.one(ctx, g)
	}
	return s.all(ctx, g)
}

// prepare reads what the person wrote.
func (s *search) prepare(q *Searching) (err error) {
	if s.include, err = newGlobs(q.Include, false); err != nil {
		return err
	}
	if s.exclude, err = newGlobs(q.Exclude, false); err != nil {
		return err
	}
	if q.Mode == Paths {
		return s.byName(q)
	}
	return s.byLine(q)
}

func (s *search) byName(q *Searching) error {
	if err := checkQuery(q.Query); err != nil {
		return err
	}
	is, err := named(q.Query, q.Fold)
	s.each = make([]lines, s.o.workers())
	for i := range s.each {
		s.each[i].printer = s.printer
	}
	s.look = func(_ context.Context, l *lines, f *guard.Folder, rel string, n guard.Name) (in inFile, err error) {
		if !is(rel, &n) {
			return in, nil
		}
		if s.printer != nil {
			l.out = append(l.out, report.OneLine(join(f.Rel(), n.Name))...)
			l.ended()
			return inFile{count: 1}, nil
		}
		return inFile{count: 1, matches: make([]Match, 1)}, nil
	}
	return err
}

func (s *search) byLine(q *Searching) error {
	compiled, err := q.compile()
	if err != nil {
		return err
	}
	compiled.rough = s.printer != nil
	s.each = make([]lines, s.o.workers())
	for i := range s.each {
		s.each[i] = lines{q: compiled.clone(), context: q.Context, most: q.limit(), printer: s.printer}
	}
	s.look = func(ctx context.Context, l *lines, f *guard.Folder, _ string, n guard.Name) (inFile, error) {
		var err error
		if l.src, err = f.Open(n.Name); err != nil {
			return inFile{}, err
		}
		defer l.src.Close()
		l.dir, l.name, l.size = f.Rel(), n.Name, l.src.Size
		matches, err := l.file(ctx, &l.src)
		in := inFile{matches: matches, count: len(matches), cut: l.cuts}
		if s.printer != nil { // also what was printed before an error
			in.count = l.n
		}
		if l.nul && !l.full {
			in.atNUL = 1
		}
		return in, err
	}
	return nil
}

func (q *Searching) compile() (*query, error) {
	if q.Mode == Regexp {
		return newRegexp(q.Query, q.Fold)
	}
	return newText(q.Query, q.Fold)
}

// limit is how many matches of one file are of use: one more than wanted shows that there is more.
func (q *Searching) limit() int {
	if q.Most == 0 {
		return 0
	}
	return q.Most + 1
}

// search is a search that goes on.
type search struct {
	Outcome
	o                *Options
	include, exclude []glob
	links            bool    // links count as files
	each             []lines // for each goroutine
	// look returns what matches in a file, of which rel is the directory. It is valid until the next call with the same lines.
	look    func(ctx context.Context, l *lines, f *guard.Folder, rel string, n guard.Name) (inFile, error)
	most    int
	printer *printer // nil when matches are kept
	count   int
	found   []Match
}

// inFile is what one file gave or, printed, several; and what was looked at up to it since the one before.
type inFile struct {
	matches []Match
	texts   [][]byte
	count   int // of matches
	files   int
	cut     int
	atNUL   int
}

func (s *search) all(ctx context.Context, g *guard.Guard) ([]Match, Outcome, error) {
	ig := newIgnorer(g, s.o)
	root, err := ig.open(g, s.o.Root)
	if err != nil {
		return nil, Outcome{}, err
	}
	w := &walk[inFile]{ig: ig, emit: s.put}
	w.want = s.want
	w.do = func(ctx context.Context, worker int, d *dir, names []guard.Name) []inFile {
		out, failed := s.files(ctx, &s.each[worker], d, names)
		for _, err := range failed {
			w.cannot(err)
		}
		w.tell(s.o, len(names), d.path)
		if s.printer != nil && !s.printer.write() {
			w.end(nil)
		}
		return out
	}
	w.weigh = func(all []inFile) (n int) {
		for _, in := range all {
			n += 1 + len(in.matches) + len(in.texts)*enough>>8
		}
		return n
	}
	if err := w.run(ctx, root, s.o.workers()); err != nil {
		return nil, Outcome{}, err
	}
	s.Unread = int(w.unread.Load())
	return s.found, s.Outcome, nil
}

func (s *search) want(d *dir, n *guard.Name) (take, enter bool) {
	isDir := n.Kind == guard.Directory
	isFile := n.Kind == guard.Regular || n.Kind == guard.Symlink && s.links
	if !isDir && !isFile || anyGlob(s.exclude, d.rel, n.Name, isDir) {
		return false, false
	}
	return isFile && (len(s.include) == 0 || anyGlob(s.include, d.rel, n.Name, false)), isDir
}

// files searches files of one directory, until there are more matches than can be of use.
func (s *search) files(ctx context.Context, l *lines, d *dir, names []guard.Name) (out []inFile, failed []error) {
	var since inFile
	total := 0
	for _, n := range names {
		in, err := s.look(ctx, l, d.folder, d.rel, n)
		if err != nil {
			failed = append(failed, err)
		} else {
			since.files++
		}
		since.cut, since.atNUL, since.count = since.cut+in.cut, since.atNUL+in.atNUL, since.count+in.count
		if in.count == 0 || s.most == 0 && s.printer != nil {
			continue
		}
		out = append(out, s.kept(since, in.matches, l, join(d.path, n.Name)))
		if total += in.count; s.most > 0 && total > s.most {
			return out, failed
		}
		since = inFile{}
	}
	if since.files > 0 || since.cut > 0 {
		out = append(out, s.kept(since, nil, l, ""))
	}
	return out, failed
}

// kept is in with what was found, in memory of its own.
func (s *search) kept(in inFile, matches []Match, l *lines, path string) inFile {
	if s.printer != nil {
		in.texts = l.taken()
		return in
	}
	in.matches = append([]Match(nil), matches...)
	for i := range in.matches {
		in.matches[i].Path = path
	}
	return in
}

// put takes what files gave, in the order of paths, until it is enough.
func (s *search) put(all []inFile) bool {
	for _, in := range all {
		s.Files += in.files
		s.Cut += in.cut
		s.AtNUL += in.atNUL
		s.count += in.count
		if s.More = s.most > 0 && s.count > s.most; s.More {
			in.count -= s.count - s.most
			s.count = s.most
		}
		if s.printer == nil {
			s.found = append(s.found, in.matches[:in.count]...)
		} else {
			s.printer.put(firstLines(in.texts, in.count, s.More))
		}
		if s.More {
			return false
		}
	}
	return true
}

// one searches a file that was named: no rule leaves it out.
func (s *search) one(ctx context.Context, g *guard.Guard) ([]Match, Outcome, error) {
	f, name, err := g.ParentFolder(s.o.Root)
	if err != nil {
		return nil, Outcome{}, err
	}
	defer f.Close()
	l := &s.each[0]
	spilled := 0
	l.each = func() {
		s.put([]inFile{s.kept(inFile{count: l.n - spilled}, nil, l, "")})
		spilled = l.n
		l.full = !s.printer.write() || l.full
	}
	in, err := s.look(ctx, l, f, "", guard.Name{Name: name, Kind: guard.Regular})
	if err != nil {
		return nil, Outcome{}, err
	}
	in.count -= spilled
	in.files = 1
	s.put([]inFile{s.kept(in, in.matches, l, s.o.Root.Rel)})
	return s.found, s.Outcome, nil
}
