package find

import (
	"context"
	"io"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

// Mode is what a search looks at.
type Mode uint8

// The modes.
const (
	Text   Mode = iota // lines that contain a text
	Regexp             // lines that match an expression
	Paths              // names of files
)

// SearchQuery says what to look for.
type SearchQuery struct {
	Query      string
	Mode       Mode
	Include    []string // only files that match one of these
	Exclude    []string // no file or directory that matches one of these
	IgnoreCase bool     // match any case
	Context    int      // how many lines to show around a match
	Limit      int      // at most so many matches; 0 is any number
}

// Search returns the lines that match, by path and line, or the files, by path. The root of the search may be a file.
func Search(ctx context.Context, g *guard.Guard, o Options, q SearchQuery) ([]Match, Summary, error) {
	s := &search{o: &o, limit: q.Limit, links: q.Mode == Paths}
	if err := s.prepare(&q); err != nil {
		return nil, Summary{}, err
	}
	return s.run(ctx, g)
}

func (s *search) run(ctx context.Context, g *guard.Guard) ([]Match, Summary, error) {
	if s.o.Root.Kind == guard.Regular {
		return s.searchFile(ctx, g)
	}
	return s.searchDir(ctx, g)
}

// prepare compiles the query and its patterns.
func (s *search) prepare(q *SearchQuery) (err error) {
	if s.include, err = parsePatterns(q.Include, false); err != nil {
		return err
	}
	if s.exclude, err = parsePatterns(q.Exclude, false); err != nil {
		return err
	}
	if q.Mode == Paths {
		return s.byName(q)
	}
	return s.byLine(q)
}

func (s *search) byName(q *SearchQuery) error {
	if err := checkQuery(q.Query); err != nil {
		return err
	}
	is, err := nameMatcher(q.Query, q.IgnoreCase)
	s.scanners = make([]lineScanner, s.o.workers())
	for i := range s.scanners {
		s.scanners[i].printer = s.printer
	}
	s.scanFile = func(_ context.Context, l *lineScanner, f *guard.Folder, rel string, n guard.Name) (in fileResult, err error) {
		if !is(rel, &n) {
			return in, nil
		}
		if s.printer != nil {
			l.out = append(l.out, report.OneLine(join(f.Rel(), n.Name))...)
			l.endLine()
			return fileResult{count: 1}, nil
		}
		return fileResult{count: 1, matches: make([]Match, 1)}, nil
	}
	return err
}

func (s *search) byLine(q *SearchQuery) error {
	compiled, err := q.compileQuery()
	if err != nil {
		return err
	}
	compiled.lineOnly = s.printer != nil
	s.scanners = make([]lineScanner, s.o.workers())
	for i := range s.scanners {
		s.scanners[i] = lineScanner{q: compiled.clone(), context: q.Context, limit: q.fileLimit(), printer: s.printer}
	}
	s.scanFile = func(ctx context.Context, l *lineScanner, f *guard.Folder, _ string, n guard.Name) (fileResult, error) {
		var err error
		if l.src, err = f.Open(n.Name); err != nil {
			return fileResult{}, err
		}
		defer l.src.Close()
		l.dir, l.name, l.size = f.Rel(), n.Name, l.src.Size
		matches, err := l.scan(ctx, &l.src)
		in := fileResult{matches: matches, count: len(matches), cut: l.cutLines}
		if s.printer != nil { // including what was printed before an error
			in.count = l.count
		}
		if l.stoppedAtNUL && !l.enough {
			in.atNUL = 1
		}
		return in, err
	}
	return nil
}

func (q *SearchQuery) compileQuery() (*query, error) {
	if q.Mode == Regexp {
		return newRegexp(q.Query, q.IgnoreCase)
	}
	return newText(q.Query, q.IgnoreCase)
}

// fileLimit returns how many matches of one file are of use: one more than wanted shows that there are more.
func (q *SearchQuery) fileLimit() int {
	if q.Limit == 0 {
		return 0
	}
	return q.Limit + 1
}

// search is a search that is going on.
type search struct {
	Summary
	o                *Options
	include, exclude []globPattern
	links            bool          // links count as files
	scanners         []lineScanner // one for each goroutine
	// scanFile returns the matches in a file; rel is its directory. They are valid until the next call with the same scanner.
	scanFile func(ctx context.Context, l *lineScanner, f *guard.Folder, rel string, n guard.Name) (fileResult, error)
	limit    int
	printer  *printer // nil if matches are kept
	count    int
	found    []Match
}

// fileResult is the matches of one file or, if they are printed, of several; and what was searched up to it since the one
// before.
type fileResult struct {
	matches []Match
	texts   [][]byte
	count   int // of matches
	files   int
	cut     int
	atNUL   int
}

func (s *search) searchDir(ctx context.Context, g *guard.Guard) ([]Match, Summary, error) {
	ig := newIgnorer(g, s.o)
	root, err := ig.openRoot(g, s.o.Root)
	if err != nil {
		return nil, Summary{}, err
	}
	w := &walker[fileResult]{ignore: ig, emit: s.take}
	w.wants = s.wants
	w.handle = func(ctx context.Context, worker int, d *dir, names []guard.Name) []fileResult {
		out, failed := s.files(ctx, &s.scanners[worker], d, names)
		for _, err := range failed {
			w.noteError(err)
		}
		w.reportProgress(s.o, len(names), d.path)
		if s.printer != nil && !s.printer.flushReady() {
			w.stopWith(nil)
		}
		return out
	}
	w.weigh = func(all []fileResult) (n int) {
		for _, in := range all {
			n += 1 + len(in.matches) + len(in.texts)*printBytes>>8
		}
		return n
	}
	if err := w.run(ctx, root, s.o.workers()); err != nil {
		return nil, Summary{}, err
	}
	s.Unreadable = int(w.unreadable.Load())
	return s.found, s.Summary, nil
}

func (s *search) wants(d *dir, n *guard.Name) (take, enter bool) {
	isDir := n.Kind == guard.Directory
	isFile := n.Kind == guard.Regular || n.Kind == guard.Symlink && s.links
	if !isDir && !isFile || matchesAny(s.exclude, d.rel, n.Name, isDir) {
		return false, false
	}
	return isFile && (len(s.include) == 0 || matchesAny(s.include, d.rel, n.Name, false)), isDir
}

// files searches files of one directory, until there are more matches than can be of use.
func (s *search) files(ctx context.Context, l *lineScanner, d *dir, names []guard.Name) (out []fileResult, failed []error) {
	var since fileResult
	total := 0
	for _, n := range names {
		in, err := s.scanFile(ctx, l, d.folder, d.rel, n)
		if err != nil {
			failed = append(failed, err)
		} else {
			since.files++
		}
		since.cut, since.atNUL, since.count = since.cut+in.cut, since.atNUL+in.atNUL, since.count+in.count
		if in.count == 0 || s.limit == 0 && s.printer != nil {
			continue
		}
		out = append(out, s.copied(since, in.matches, l, join(d.path, n.Name)))
		if total += in.count; s.limit > 0 && total > s.limit {
			return out, failed
		}
		since = fileResult{}
	}
	if since.files > 0 || since.cut > 0 {
		out = append(out, s.copied(since, nil, l, ""))
	}
	return out, failed
}

// copied returns in with its matches in memory of their own.
func (s *search) copied(in fileResult, matches []Match, l *lineScanner, path string) fileResult {
	if s.printer != nil {
		in.texts = l.takePrinted()
		return in
	}
	in.matches = append([]Match(nil), matches...)
	for i := range in.matches {
		in.matches[i].Path = path
	}
	return in
}

// take adds results, in the order of paths, until there are enough.
func (s *search) take(all []fileResult) bool {
	for _, in := range all {
		s.Files += in.files
		s.CutLines += in.cut
		s.StoppedAtNUL += in.atNUL
		s.count += in.count
		if s.More = s.limit > 0 && s.count > s.limit; s.More {
			in.count -= s.count - s.limit
			s.count = s.limit
		}
		if s.printer == nil {
			s.found = append(s.found, in.matches[:in.count]...)
		} else {
			s.printer.add(firstLines(in.texts, in.count, s.More))
		}
		if s.More {
			return false
		}
	}
	return true
}

// searchFile searches a file that was named as the root: no rule leaves it out.
func (s *search) searchFile(ctx context.Context, g *guard.Guard) ([]Match, Summary, error) {
	f, name, err := g.ParentFolder(s.o.Root)
	if err != nil {
		return nil, Summary{}, err
	}
	defer f.Close()
	l := &s.scanners[0]
	spilled := 0
	l.onFull = func() {
		s.take([]fileResult{s.copied(fileResult{count: l.count - spilled}, nil, l, "")})
		spilled = l.count
		l.enough = !s.printer.flushReady() || l.enough
	}
	in, err := s.scanFile(ctx, l, f, "", guard.Name{Name: name, Kind: guard.Regular})
	if err != nil {
		return nil, Summary{}, err
	}
	in.count -= spilled
	in.files = 1
	s.take([]fileResult{s.copied(in, in.matches, l, s.o.Root.Rel)})
	return s.found, s.Summary, nil
}

// SearchTo is [Search] that writes matches while it searches, and keeps none of them: path:line:text of a line, escaped by
// [report.OneLine], and the paths in a search by path. It shows no lines around matches. It returns how many it wrote.
func SearchTo(ctx context.Context, g *guard.Guard, o Options, q SearchQuery, w io.Writer) (int, Summary, error) {
	s := &search{o: &o, limit: q.Limit, links: q.Mode == Paths, printer: &printer{w: w}}
	q.Context = 0
	if err := s.prepare(&q); err != nil {
		return 0, Summary{}, err
	}
	_, out, err := s.run(ctx, g)
	if failed := s.printer.flush(); err == nil {
		err = failed
	}
	return s.count, out, err
}
