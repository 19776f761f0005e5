package dialect

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
)

// decodings yields the decodings of text that g reads. as is how g read the text undecoded: if it did, a decoding has the same
// sections.
func decodings(g *grammar, text string, as *parser) iter.Seq[Decoding] {
	return func(yield func(Decoding) bool) {
		text, err := checkText(text)
		if err != nil {
			return
		}
		for t := range decode.All(text, g.written) {
			p := read(g, t.Text)
			if p.err != nil || as.err == nil && !slices.EqualFunc(p.out.Patch.Sections, as.out.Patch.Sections, sameHeader) {
				continue
			}
			if !yield(Decoding{p.out, t.Name, t.Absent}) {
				return
			}
		}
	}
}

func sameHeader(a, b patch.Section) bool { return a.Op == b.Op && a.Path == b.Path && a.To == b.To }
