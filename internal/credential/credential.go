// Package credential finds text that looks like a key or a token, in the well-known formats that have a prefix or a name of
// their own. It does not guess from randomness, does not look at names of files, and does not check whether a key works.
package credential

import (
	"strings"
	"sync"
)

// Hit is text that looks like a key. It does not have the text.
type Hit struct {
	Line, LastLine int    // from 1
	Kind           string // see [formats]
}

// format is one kind of key. Every key of the kind has one of the anchors, of four bytes; the rarer the last two are in other
// text, the faster is the search. find returns the bounds of the key
// that has its anchor at text[at]; ok is false if there is none. It looks at a bounded number of bytes.
type format struct {
	kind    string
	anchors []string
	find    func(text string, at int) (from, to int, ok bool)
}

// formats lists the kinds of keys.
var formats = []format{
	{"private key", []string{"BEGI"}, findPEM},
	{"AWS access key id", []string{"AKIA", "ASIA"}, findAWSKeyID},
	{"AWS secret access key", []string{"ss_k", "SS_K", "ssKe"}, findAWSSecret},
	{"GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, prefixed("", 4, 36, 255, isAlnum)},
	{"GitHub token", []string{"hub_"}, prefixed("git", len("hub_pat_"), 82, 82, isWord)},
	{"GitLab token", []string{"pat-"}, prefixed("gl", len("pat-"), 20, 255, isDashed)},
	{"Slack token", []string{"xoxa", "xoxb", "xoxp", "xoxr", "xoxs"}, findSlack},
	{"Stripe key", []string{"sk_l", "rk_l"}, prefixed("", len("sk_live_"), 24, 255, isAlnum)},
	{"Google API key", []string{"AIza"}, prefixed("", len("AIza"), 35, 35, isDashed)},
	{"npm token", []string{"npm_"}, prefixed("", len("npm_"), 36, 36, isAlnum)},
	{"Anthropic key", []string{"sk-a"}, findAnthropic},
	{"OpenAI key", []string{"sk-p", "sk-s", "sk-a"}, findOpenAI},
}

// fullPrefixes are the prefixes of [prefixed] formats that are longer than an anchor, by their anchors.
var fullPrefixes = map[string]string{"hub_": "hub_pat_", "sk_l": "sk_live_", "rk_l": "rk_live_"}

// Find returns what looks like a key in text, in order. It takes time linear in text, and looks at about every third byte of a
// text without keys.
func Find(text string) (out []Hit) {
	t := anchorTable()
	line, counted, after := 1, 0, 0 // after is the end of the last hit
	for at := 0; at+4 <= len(text); {
		step := t.steps[blockOf(text[at+2], text[at+3])]
		if step < firstBucket {
			at += int(step)
			continue
		}
		if kind, from, to := findAt(text, at, t.buckets[step-firstBucket]); kind != "" && from >= after {
			line += lineEnds(text[counted:from])
			out = append(out, Hit{line, line + lineEnds(text[from:to]), kind})
			counted, after = from, to
		}
		at++
	}
	return out
}

// findAt returns the kind and the bounds of the key that has one of the anchors at text[at], "" if there is none.
func findAt(text string, at int, some []anchor) (kind string, from, to int) {
	for _, a := range some {
		if text[at:at+4] != a.text {
			continue
		}
		if from, to, ok := a.find(text, at); ok {
			return a.kind, from, to
		}
	}
	return "", 0, 0
}

// lineEnds counts the line ends in s: LF, CRLF and CR.
func lineEnds(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// anchor is one anchor of a format.
type anchor struct {
	text string
	*format
}

// anchors says for the last two bytes of a window of four how far the window can move without passing an anchor, or, from
// firstBucket on, in which bucket the anchors are that end with them. It is the search of Wu and Manber for many patterns at
// once.
type anchors struct {
	steps   [1 << 14]uint8
	buckets [][]anchor
}

const firstBucket = 4

// blockOf returns the place of two bytes in the table: their own if they are ASCII.
func blockOf(a, b byte) int { return int(a&127)<<7 | int(b&127) }

var anchorTable = sync.OnceValue(func() *anchors {
	var t anchors
	for i := range t.steps {
		t.steps[i] = 3
	}
	for i := range formats {
		for _, text := range formats[i].anchors {
			t.add(anchor{text, &formats[i]})
		}
	}
	return &t
})

func (t *anchors) add(a anchor) {
	for end := 2; end < 4; end++ {
		if n := &t.steps[blockOf(a.text[end-2], a.text[end-1])]; *n < firstBucket {
			*n = min(*n, uint8(4-end))
		}
	}
	last := &t.steps[blockOf(a.text[2], a.text[3])]
	if *last < firstBucket {
		*last = firstBucket + uint8(len(t.buckets))
		t.buckets = append(t.buckets, nil)
	}
	t.buckets[*last-firstBucket] = append(t.buckets[*last-firstBucket], a)
}

// prefixed returns the find function of keys that are a prefix and then least to most bytes of one class. before is the part of
// the prefix before the anchor, n the length of the rest.
func prefixed(before string, n, least, most int, class func(byte) bool) func(string, int) (int, int, bool) {
	return func(text string, at int) (from, to int, ok bool) {
		prefix := text[at : at+4]
		if full := fullPrefixes[prefix]; full != "" {
			prefix = full
		}
		from = at - len(before)
		if from < 0 || text[from:at] != before || !strings.HasPrefix(text[at:], prefix) || !beginsWord(text, from) {
			return 0, 0, false
		}
		to, ok = run(text, at+n, least, most, class)
		return from, to, ok
	}
}

// run returns the end of a run of at least least bytes of one class that begins at text[from], ends where no other byte of the
// class follows, and is not one byte again and again, as in an example.
func run(text string, from, least, most int, class func(byte) bool) (to int, ok bool) {
	to = from
	for to < len(text) && to-from <= most && class(text[to]) {
		to++
	}
	n := to - from
	return to, n >= least && n <= most && strings.Count(text[from:to], text[from:from+1]) < n
}

// beginsWord reports whether text[at] is not in the middle of a word.
func beginsWord(text string, at int) bool { return at == 0 || !isWord(text[at-1]) }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWord(c byte) bool   { return isAlnum(c) || c == '_' }
func isDashed(c byte) bool { return isWord(c) || c == '-' }
func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' }
func isBase32(c byte) bool { return 'A' <= c && c <= 'Z' || '2' <= c && c <= '7' }
