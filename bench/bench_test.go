package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseCounts(t *testing.T) {
	got := parseCounts(`% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 61.50    0.001234           1      1000           fsync
 38.50    0.000772           7       100         3 fdatasync
------ ----------- ----------- --------- --------- ----------------
100.00    0.002006                  1100         3 total
`)
	if want := map[string]int{"fsync": 1000, "fdatasync": 100}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := counted(parseCounts("")); got != "none" {
		t.Errorf("no calls are %q", got)
	}
}

// A result is refused if it lacks a file, has another byte, or has one file more.
func TestTreeCheck(t *testing.T) {
	p, err := newPatching(t.TempDir(), 3, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		spoil func(dir string) error
		good  bool
	}{
		{"as it is", func(string) error { return nil }, true},
		{"a byte", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "dir1/file0001.txt"), []byte("x"), 0o666)
		}, false},
		{"a file less", func(dir string) error { return os.Remove(filepath.Join(dir, "dir1/file0001.txt")) }, false},
		{"a file more", func(dir string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o666) }, false},
	} {
		dir, err := p.old.lay(t.TempDir(), p.dirs)
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.spoil(dir); err != nil {
			t.Fatal(err)
		}
		if err := p.old.check(dir); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		all  []time.Duration
		want time.Duration
	}{{[]time.Duration{5, 1, 9}, 5}, {[]time.Duration{4, 1, 2, 9}, 3}, {[]time.Duration{7}, 7}} {
		if got := median(tc.all); got != tc.want {
			t.Errorf("the median of %v is %d, want %d", tc.all, got, tc.want)
		}
	}
}

// The exponent of a power law is found, whatever its constant and unit.
func TestExponent(t *testing.T) {
	for _, want := range []float64{0.5, 1, 1.3, 2} {
		var points []point
		for _, n := range []float64{1e5, 1e6, 1e7} {
			points = append(points, point{n, 0.003 * math.Pow(n, want)})
		}
		if got := exponent(points); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Outputs that differ in order agree. One with a wrong, a missing or an additional line does not, and the error names the line.
func TestAgreement(t *testing.T) {
	long := strings.Repeat("x", 300)
	ours := "a.go:1:x := 1\na.go:12:y\nb.go:2:" + long[:200] + "…\nc.go:9:bell \\x07\n"
	for _, tc := range []struct{ name, theirs, want string }{
		{"as it is", "b.go:2:" + long + "\na.go:12:y\nc.go:9:bell \a\na.go:1:x := 1\n", ""},
		{"a carriage return", "b.go:2:" + long + "\na.go:12:y\r\nc.go:9:bell \a\na.go:1:x := 1\n", ""},
		{"another byte", "a.go:1:x := 2\na.go:12:y\nb.go:2:" + long + "\nc.go:9:bell \a\n", "x := 2"},
		{"another line of a file", "a.go:1:x := 1\na.go:13:y\nb.go:2:" + long + "\nc.go:9:bell \a\n", "a.go:13"},
		{"a line less", "a.go:1:x := 1\nb.go:2:" + long + "\nc.go:9:bell \a\n", "a.go:12:y"},
		{"a line more", "a.go:1:x := 1\na.go:12:y\nb.go:2:" + long + "\nc.go:9:bell \a\nz.go:1:more\n", "z.go"},
		{"nothing", "", "a.go:1"},
		{"a long line cut elsewhere", "a.go:1:x := 1\na.go:12:y\nb.go:2:" + strings.Repeat("z", 300) + "\nc.go:9:bell \a\n", "zzz"},
	} {
		a := &agreement{equal: equalHit}
		if err := printedBy(t, a, "emend", ours); err != nil {
			t.Fatal(err)
		}
		err := printedBy(t, a, "ripgrep", tc.theirs)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// A long line of which the output shows nothing does not agree.
func TestEqualHitNothing(t *testing.T) {
	for _, shown := range []string{"", "…", "x…"} {
		if equalHit("a.go:1:"+shown, "a.go:1:"+strings.Repeat("x", 300)) {
			t.Errorf("%q is taken for a line of 300 bytes", shown)
		}
	}
}

// A lane that was given up keeps the times of the rounds that it finished.
func TestGivenUp(t *testing.T) {
	var l laneDone
	for round, s := range []sample{{took: 9}, {took: 5}, {took: 5}, {took: 100, slow: true}} {
		l.add(round, s)
	}
	if !l.slow || l.median() != 5 {
		t.Errorf("slow %t, %d", l.slow, l.median())
	}
	l = laneDone{}
	if l.add(0, sample{took: 100, slow: true}); !l.slow || l.median() != 100 {
		t.Errorf("in the first round: slow %t, %d", l.slow, l.median())
	}
}

// The bars of a failed row are counted and have no figure.
func TestFailedRow(t *testing.T) {
	d := done{work: work{bars: []bar{{lane: "ours", peer: "theirs", most: 1}}}, failed: os.ErrInvalid,
		lanes: []laneDone{{lane: lane{name: "ours"}, times: []time.Duration{1}}, {lane: lane{name: "theirs"}, times: []time.Duration{2}}}}
	if d.judge(); len(d.verdicts) != 1 || d.verdicts[0].met() || d.verdicts[0].word() != "no figure: the row failed" {
		t.Errorf("%+v", d.verdicts)
	}
}

// A program must print the same lines in every round, in any order.
func TestAgreementLater(t *testing.T) {
	a := &agreement{equal: equalPath}
	for _, tc := range []struct {
		text string
		good bool
	}{{"a\nb/\n", true}, {"b/\na\n", true}, {"a\n", false}, {"a\nc/\n", false}} {
		if err := printedBy(t, a, "fd", tc.text); (err == nil) != tc.good {
			t.Errorf("%q: %v", tc.text, err)
		}
	}
}

// A program that lists only files is compared with the files of the others.
func TestAgreementFiles(t *testing.T) {
	a := &agreement{equal: equalPath}
	files := &agreement{equal: equalPath, beside: a}
	if err := printedBy(t, a, "emend", "a\nd/\nd/b\n"); err != nil {
		t.Fatal(err)
	}
	if err := printedBy(t, a, "fd", "d\na\nd/b\n"); err != nil {
		t.Error(err)
	}
	if err := printedBy(t, files, "rg --files", "d/b\na\n"); err != nil {
		t.Error(err)
	}
	if err := printedBy(t, files, "rg", "d/b\n"); err == nil {
		t.Error("a file that is missing is not missed")
	}
}

func printedBy(t *testing.T, a *agreement, name, text string) error {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(out, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return a.checker(name)("", out)
}

// A bar is met, is missed, or has no figure.
func TestVerdict(t *testing.T) {
	d := done{work: work{size: 10 << 20, bars: []bar{
		{lane: "ours", peer: "theirs", most: 1}, {lane: "ours", peer: "quick", most: 1}, {lane: "ours", peer: "given up", most: 0.5},
		{lane: "ours", peer: "given up", most: 0.05}, {lane: "ours", peer: "absent", most: 1}, {lane: "ours", most: 3, memory: true}, {lane: "theirs", most: 3, memory: true}}},
		lanes: []laneDone{
			{lane: lane{name: "ours"}, times: []time.Duration{10}, peak: 20 << 20},
			{lane: lane{name: "theirs"}, times: []time.Duration{12}},
			{lane: lane{name: "quick"}, times: []time.Duration{5}},
			{lane: lane{name: "given up"}, times: []time.Duration{100}, slow: true},
			{lane: lane{name: "absent", why: "it is not installed"}},
		}}
	d.judge()
	for i, want := range []string{"met", "**MISSED**", "met", "no figure: given up was given up", "no figure: absent is missing", "met", "no figure: this system does not say"} {
		if v := d.verdicts[i]; !strings.HasPrefix(v.word(), want) {
			t.Errorf("%s: %q (%s), want %q", v.bar, v.word(), v.figure(), want)
		}
	}
}

// The page shows the reason for each missed bar, or that there is none, and lists reasons that no bar needs any more.
func TestMisses(t *testing.T) {
	p := &page{programs: &programs{}, misses: misses{{"a.*", "because"}, {"b", "no longer so"}}, rows: []done{
		{row: row{id: "a.1", title: "slow"}, verdicts: []verdict{{bar: "x", got: 2, most: 1}}},
		{row: row{id: "b", title: "fine"}, verdicts: []verdict{{bar: "y", got: 1, most: 1}}},
		{row: row{id: "c", title: "unexplained"}, verdicts: []verdict{{bar: "z", got: 3, most: 1}}},
	}}
	var b strings.Builder
	p.writeMisses(&b)
	for _, want := range []string{"slow: x, measured 2.00. because", "unexplained: z, measured 3.00. Nobody", "Stale: misses.txt has a reason for `b`"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
	if _, err := readMisses(); err != nil {
		t.Error(err)
	}
}

// The patch changes as many lines as it has hunks, in the spelling of its rung, and nothing else.
func TestBig(t *testing.T) {
	for _, rung := range rungs {
		s := &bigFile{lines: 1000, hunks: 100, rung: rung}
		name := filepath.Join(t.TempDir(), "patch")
		if err := s.write(name); err != nil {
			t.Fatal(err)
		}
		patch, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var before, after strings.Builder
		for i := range s.lines {
			line := string(appendLine(nil, i))
			before.WriteString(line)
			if strings.Contains(string(patch), "\n-"+s.removed(i)+"\n") {
				line = s.added(i)
			}
			after.WriteString(line)
		}
		if n := strings.Count(string(patch), "\n@@\n"); n != 100 {
			t.Errorf("%s: %d hunks", rung, n)
		}
		if got := sumOf(strings.NewReader(after.String())); got != s.sum() || got == plain(s.lines) {
			t.Errorf("%s: the file that the patch makes is not the one whose sum is known", rung)
		}
		if found := strings.Contains(before.String(), "\n"+s.removed(s.target(0))+"\n"); found != (rung == "exact") {
			t.Errorf("%s: %q is in the file byte for byte: %t", rung, s.removed(s.target(0)), found)
		}
	}
}

func TestCheckSum(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for text, good := range map[string]bool{string(appendLine(nil, 0)): true, string(appendLine(nil, 1)): false, "": false} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := checkSum(name, plain(1)); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The chart is well-formed XML, and has a point for each figure and an arrow for each lane that was given up.
func TestChart(t *testing.T) {
	var rows []done
	for i, n := range []int{100_000, 1_000_000, 10_000_000} {
		ours, theirs := time.Duration(n)*25*time.Nanosecond, time.Duration(n)*50*time.Nanosecond
		rows = append(rows, done{row: row{id: (&bigFile{lines: n, hunks: 1, rung: "exact"}).row()}, work: work{lines: n}, lanes: []laneDone{
			{lane: lane{name: unsynced}, times: []time.Duration{ours}},
			{lane: lane{name: codex}, times: []time.Duration{theirs}, slow: i == 2}}})
	}
	picture := chart(rows)
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, picture)
		}
	}
	if dots, arrows := bytes.Count(picture, []byte("<circle")), bytes.Count(picture, []byte("<path")); dots != 5 || arrows != 1 {
		t.Errorf("%d points and %d arrows", dots, arrows)
	}
	if picture := chart(nil); picture != nil {
		t.Errorf("a picture of nothing: %s", picture)
	}
}

// Work that grows like its size meets the bar; work that grows like the square of its size does not.
func TestGrowth(t *testing.T) {
	for power, met := range map[float64]bool{1: true, 2: false} {
		var rows []done
		for _, n := range []int{100_000, 1_000_000, 10_000_000} {
			cost := time.Duration(math.Pow(float64(n), power) / 1e3)
			rows = append(rows, done{row: row{id: (&bigFile{lines: n, hunks: 1, rung: "exact"}).row()}, work: work{lines: n},
				lanes: []laneDone{{lane: lane{name: unsynced}, times: []time.Duration{cost}}}})
		}
		got := exponents(rows)
		if len(got) != 1 || len(got[0].verdicts) != 2 {
			t.Fatalf("%+v", got)
		}
		for _, v := range got[0].verdicts {
			if v.met() != met {
				t.Errorf("%s: %s %s", v.bar, v.figure(), v.word())
			}
		}
	}
}

// A failed row and a missing program stand at the top of the page, and the command ends with an error.
func TestPage(t *testing.T) {
	p := &page{programs: &programs{rg: program{name: "rg", why: "it is not installed"}}, rows: []done{
		{row: row{id: "g.x", group: "g", title: "a search"}, failed: errors.New("another line")},
		{row: row{id: "a", group: "a", title: "a patch"}, lanes: []laneDone{{lane: lane{name: durable}, times: []time.Duration{time.Millisecond}}}},
	}}
	for _, want := range []string{"**FAILED**: g.x (a search): another line", "**MISSING**: rg: it is not installed", "## (a) One small patch"} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("no %q in %s", want, p)
		}
	}
	if err := p.failed(); err == nil || !strings.Contains(err.Error(), "g.x") {
		t.Errorf("%v", err)
	}
}

// Each row has a unique name and a heading.
func TestRows(t *testing.T) {
	b := &bench{only: regexp.MustCompile("")}
	seen := map[string]bool{}
	for _, r := range b.rows() {
		if seen[r.id] || !slices.ContainsFunc(groups, func(g group) bool { return g.letter == r.group }) {
			t.Errorf("%s is there twice, or under no heading", r.id)
		}
		seen[r.id] = true
	}
	if len(seen) < 60 {
		t.Errorf("%d rows", len(seen))
	}
}

// The interval leaves out as many values at each end as its probability allows.
func TestSpread98(t *testing.T) {
	for n, k := range map[int]int{1: 0, 2: 0, 6: 0, 7: 0, 10: 1, 20: 4, 40: 12} {
		var values []float64
		for i := range n {
			values = append(values, float64(i))
		}
		median, low, high := spread98(values)
		if median != float64(n-1)/2 || low != float64(k) || high != float64(n-1-k) {
			t.Errorf("of %d values: %v from %v to %v, want %d left out on either side", n, median, low, high, k)
		}
	}
}

// Only lanes that both builds finished are compared. A row is slower if its whole interval is above 1.
func TestOlder(t *testing.T) {
	lanes := func(now, was time.Duration, rounds int) []laneDone {
		l := []laneDone{{lane: lane{name: durable}}, {lane: lane{name: older(durable)}}, {lane: lane{name: gnu}, times: []time.Duration{1}}}
		for i := range time.Duration(rounds) {
			l[0].times, l[1].times = append(l[0].times, now+i), append(l[1].times, was+i)
		}
		return l
	}
	p := &page{rows: []done{
		{row: row{id: "slower"}, lanes: lanes(2000, 1000, 10)}, {row: row{id: "faster"}, lanes: lanes(1000, 2000, 10)},
		{row: row{id: "same"}, lanes: lanes(1000, 1000, 10)}, {row: row{id: "failed"}, lanes: lanes(1, 1, 0)}}}
	var got []string
	for _, c := range p.comparisons() {
		got = append(got, c.row+" "+c.word())
	}
	if want := []string{"slower **slower**", "faster faster", "same "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var b strings.Builder
	if p.writeOlder(&b); !strings.Contains(b.String(), "above 1 as a whole: 1 of 3") {
		t.Error(b.String())
	}
}
