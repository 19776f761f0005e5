package gitobjects

import "cmp"

// mergeInto returns the entries of base with the changes that x is: a bitmap of those that are deleted, one of those that the
// first entries of x replace, and more entries.
func (x *indexFile) mergeInto(base *indexFile) ([]Entry, error) {
	if base.shared != "" {
		return nil, damaged("the shared file is split itself")
	}
	if x.link.rest() == "" {
		return merged(base.entries, x.entries), nil
	}
	n := len(base.entries)
	deleted, ok := readBitmap(&x.link, n)
	replaced, also := readBitmap(&x.link, n)
	if !ok || !also {
		return nil, damaged("a bitmap of the extension \"link\" cannot be read")
	}
	own, kept := x.entries, base.entries[:0]
	for i, e := range base.entries {
		if replaced.has(i) {
			if len(own) == 0 {
				return nil, damaged("it replaces more entries than it has")
			}
			path := e.Path
			if e, own = own[0], own[1:]; e.Path == "" {
				e.Path = path
			}
		}
		if !deleted.has(i) {
			kept = append(kept, e)
		}
	}
	return merged(kept, own), nil
}

// merged returns the entries of two sorted lists. Those of the second count where both have one.
func merged(a, b []Entry) []Entry {
	if len(b) == 0 {
		return a
	}
	out := make([]Entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		order := cmp.Or(cmp.Compare(a[0].Path, b[0].Path), cmp.Compare(a[0].Stage, b[0].Stage))
		if order < 0 {
			out, a = append(out, a[0]), a[1:]
			continue
		}
		if order == 0 {
			a = a[1:]
		}
		out, b = append(out, b[0]), b[1:]
	}
	return append(append(out, a...), b...)
}

type bitmap []uint64

func (b bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// readBitmap reads a bitmap of n bits that is compressed as EWAH: words that say how many times a bit fills a word, and how
// many words follow as they are.
func readBitmap(c *cursor, n int) (bitmap, bool) {
	c.uint32() // how many bits
	words := int64(c.uint32())
	if words*8 > int64(len(c.rest())) {
		return nil, false
	}
	in := cursor{text: c.take(int(words * 8))}
	c.uint32() // where the last word is that counts
	out := make(bitmap, (n+63)/64)
	at := int64(0)
	for in.rest() != "" {
		word := in.uint64()
		fill, times, plain := word&1, int64(word>>1&0xffffffff), int64(word>>33)
		if at+times+plain > int64(len(out)) {
			return nil, false
		}
		for range times {
			out[at] = -fill
			at++
		}
		for range plain {
			out[at] = in.uint64()
			at++
		}
	}
	return out, !c.bad && !in.bad
}
