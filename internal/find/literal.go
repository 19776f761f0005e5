package find

import (
	"bytes"
	"strings"
)

// literal finds a text, with fold in any case of its ASCII letters. It looks for the text's rarest byte, and compares the
// rest where that is.
type literal struct {
	text    []byte // in lower case with fold
	fold    bool
	rarest  int    // the index of the byte to look for
	found   [2]int // where that byte comes next, with fold in lower and in upper case; -1 is unknown
	wasted  int    // about how many bytes of the block were compared in vain
	failure []int  // see failureTable; nil until it is needed
}

func newLiteral(text string, fold bool) literal {
	p := literal{text: []byte(text), fold: fold}
	if fold {
		p.text = bytes.ToLower(p.text)
	}
	for i := range p.text {
		if p.commonness(i) < p.commonness(p.rarest) {
			p.rarest = i
		}
	}
	return p
}

// common are bytes from the most common to the least in programs and texts; others are rarer still. They were counted in
// sources of Go, Python, JavaScript and C, and in documentation.
const common = " etsnriaolcd_pufh,m.()/g\tS0\"bE=yT'xA:ICk1R>NOvL*-wP<2{}#D;MFB3546[]89UGX\\Vj`7H$&zqKWY+|!Q%?J@Z^~"

// commonness is how common the i-th byte is, in the cases that count.
func (p *literal) commonness(i int) int {
	n := commonness(p.text[i])
	if p.fold {
		n = max(n, commonness(upperOf(p.text[i])))
	}
	return n
}

func commonness(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return len(common) - i
	}
	return 0
}

// next is where the text comes at or after from, or -1. What is looked for once is kept until from has passed it, so
// that a block is gone through once for all calls.
func (p *literal) next(block []byte, from int) int {
	for c := p.text[p.rarest]; ; from++ {
		if p.found[0] < from+p.rarest {
			p.found[0] = indexByte(block, from+p.rarest, c)
		}
		first := p.found[0]
		if p.fold {
			if p.found[1] < from+p.rarest {
				p.found[1] = indexByte(block, from+p.rarest, upperOf(c))
			}
			first = min(first, p.found[1])
		}
		if first >= len(block) {
			return -1
		}
		if from = first - p.rarest; len(p.text) == 1 || p.isAt(block[from:], p.text) {
			return from
		}
		if p.tooMuchWasted(block, from) {
			at := p.nextKMP(block, from)
			if p.found = [2]int{at + p.rarest, at + p.rarest}; at == len(block) {
				return -1
			}
			return at
		}
	}
}

// start is how much of a text is compared for nothing at the most, however often.
const quickCompare = 32

// tires reports whether more than the block itself was compared with texts that only began like this one.
func (p *literal) tooMuchWasted(block []byte, from int) bool {
	if len(p.text) > quickCompare && p.isAt(block[from:], p.text[:quickCompare]) {
		p.wasted += len(p.text)
	}
	return p.wasted > len(block)
}

// indexByte is where c comes at or after from; the end of the block when it does not.
func indexByte(block []byte, from int, c byte) int {
	if from < len(block) {
		if i := bytes.IndexByte(block[from:], c); i >= 0 {
			return from + i
		}
	}
	return len(block)
}

func upperOf(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// here reports whether the text, or the beginning of it, begins b.
func (p *literal) isAt(b, text []byte) bool {
	if !p.fold {
		return bytes.HasPrefix(b, text)
	}
	if len(b) < len(text) {
		return false
	}
	for i, want := range text {
		if lowerOf(b[i]) != want {
			return false
		}
	}
	return true
}

func lowerOf(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}
