package damage

import (
	"slices"
	"strings"
	"testing"
)

const near = `func first(a, b int) int {
	sum := a + b
	log("first is asked")
	return sum
}

func second(c, d int) int {
	product := c * d
	log("second is asked")
	return product
}

func third(e, f int) int {
	rest := e % f
	log("third is asked")
	return rest
}
`

func TestSight(t *testing.T) {
	twin := strings.ReplaceAll(near, "third", "second")
	twin = strings.NewReplacer("e, f int", "c, d int", "rest := e % f", "product := c * d", "return rest", "return product").Replace(twin)
	for _, tc := range []struct {
		name, file string
		lines      []string // of the one hunk; nil for those of its author
		meanwhile  func(*disk)
		want       Sight
	}{
		{"as it was written", near, nil, nil, Clear},
		{"a word is another", near, []string{" func second(c, d int) int {", "-\tproduct := c * d", "+\tproduct := d * c", " \tlog(\"second was asked\")"}, nil, Clear},
		{"blank lines are left out", near, []string{" }", " func second(c, d int) int {", "-\tproduct := c * d", "+\tproduct := d * c"}, nil, Clear},
		{"added beside a blank line that is left out", near, []string{" }", "+// second is new", " func second(c, d int) int {", " \tproduct := c * d"}, nil, Open},
		{"put in place of a line beside one", near, []string{"-}", "+} // first", " func second(c, d int) int {", " \tproduct := c * d"}, nil, Open},
		{"what it adds stands there", near, []string{" }", "+", " func second(c, d int) int {", " \tproducts := c * d"}, nil, Clear},
		{"the blank line is there", near, []string{" }", " ", "+// second is new", " func second(c, d int) int {", " \tproducts := c * d"}, nil, Clear},
		{"only removed beside a blank line that is left out", near, []string{" }", "-func second(c, d int) int {", " \tproduct := c * d"}, nil, Clear},
		{"added beside dots", near, []string{" func second(c, d int) int {", "+\tlog(c)", " \t...", " \treturn product", " }"}, nil, Clear},
		{"lines are left out", near, []string{" func second(c, d int) int {", "-\tproduct := c * d", "+\tproduct := d * c", " \t...", " }"}, nil, Clear},
		{"numbers of lines", near, []string{" 7\tfunc second(c, d int) int {", "-8\t\tproduct := c * d", "+\tproduct := d * c", " 9\t\tlog(\"second is asked\")"}, nil, Clear},
		{"nothing of it is there", near, []string{" alpha", "-beta", "+gamma"}, nil, Blurred},
		{"only added lines", near, []string{"+\tproduct := d * c"}, nil, Blurred},
		{"in two places", twin, []string{"-\tproduct := c * d", "+\tproduct := d * c"}, nil, Blurred},
		{"nearly in two places", twin, []string{" func secondly(c, d int) int {", "-\tproduct := c * d", "+\tproduct := d * c"}, nil, Blurred},
		{"more like another place", near, []string{" func third(e, f int) int {", "-\trest := e % f", "+\trest := f % e", " \tlog(\"third is asked now\")"}, nil, Blurred},
		{"more like a place above", near, []string{" func first(a, b int) int {", "-\tsum := a + b", "+\tsum := b + a", " \treturn product"}, nil, Blurred},
		{"there is a new line in it", near, nil, func(d *disk) { d.insert(8, "\tnew line that nobody has seen") }, Open},
		{"it is there already", near, nil, func(d *disk) { d.made = map[int]bool{0: true} }, Clear},
	} {
		at := strings.Count(tc.file[:strings.Index(tc.file, "\tproduct")], "\n")
		after := slices.Clone(split(tc.file))
		after[at] = "\tproduct := d * c"
		c, _ := mustChange(t, tc.file, join(after)).Write(Wide)
		if tc.lines != nil {
			c.Hunks[0].Lines = tc.lines
		}
		if tc.meanwhile != nil {
			tc.meanwhile(&c.disk)
			c.settle()
		}
		if got := c.Sight(); got != tc.want {
			t.Errorf("%s: what is to be seen is %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestSpan: the lines that a hunk was made for must be found where they are, whatever was done to the file meanwhile.
func TestSpan(t *testing.T) {
	ch := sample(t)
	clean, _ := ch.Write(Wide)
	for _, k := range Kinds {
		for seed := range uint64(8) {
			c, ok := ch.Case(Wide, seed, k)
			if !ok {
				continue
			}
			if len(c.disk.gone) > 0 || c.change != ch {
				continue // lines of the hunks are not there, or the hunks are others
			}
			disk := lines(c.Disk)
			for i, h := range clean.Hunks {
				from, to := c.span(h)
				if more := to - from - (h.To - h.From); more < 0 || more > 0 && k.Name != "changed inside" && k.Name != "changed nearby" && k.Name != "duplicated" && k.Name != "inserted twin" && k.Name != "twin beside" {
					t.Fatalf("%s: hunk %d: lines %d to %d for %d to %d", k.Name, i, from, to, h.From, h.To)
				}
				if first := c.disk.line(h.From, ch.old[h.From]); disk[from] != first {
					t.Fatalf("%s: hunk %d begins with %q and should with %q", k.Name, i, disk[from], first)
				}
			}
		}
	}
}
