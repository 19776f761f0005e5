package find

import "bytes"

// gitGlob is a pattern of an ignore file as git reads it: * and ? do not match a slash, and ** does if it is a whole name.
type gitGlob []token

type token struct {
	op  op
	lit []byte // for literalText
	set *set   // for class
}

type op uint8

const (
	literalText op = iota
	one            // ?: one byte, no slash
	class          // [...]: one byte of a set, no slash
	star           // *: any bytes, no slash
	stars          // **: any bytes
	dirs           // **/: any number of directories
)

type set [4]uint64

func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// gitGlobSpecial are the bytes that stand for something other than themselves.
const gitGlobSpecial = `*?[\`

// compileGitGlob compiles a pattern. ok is false if it can match nothing: a class without an end, a backslash at the end.
//
// As in git, the literal beginning of a pattern is not looked at when ** is judged to be a whole name: in "a**/b" the two
// stars stand for directories, too.
func compileGitGlob(text string) (w gitGlob, ok bool) {
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			w = append(w, token{op: literalText, lit: lit})
			lit = nil
		}
	}
	from := bytes.IndexAny([]byte(text), gitGlobSpecial)
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			if i+1 == len(text) {
				return nil, false
			}
			lit = append(lit, text[i+1])
			i += 2
		case '?':
			flush()
			w = append(w, token{op: one})
			i++
		case '*':
			flush()
			var t token
			t.op, i = readStars(text, from, i)
			w = append(w, t)
		case '[':
			flush()
			s, next, ok := readClass(text, i)
			if !ok {
				return nil, false
			}
			w = append(w, token{op: class, set: s})
			i = next
		default:
			lit = append(lit, c)
			i++
		}
	}
	flush()
	return w, true
}

// readStars reads the stars at text[i:]; from is where the literal beginning of the pattern ends.
func readStars(text string, from, i int) (op, int) {
	n := i
	for n < len(text) && text[n] == '*' {
		n++
	}
	alone := i == from || text[i-1] == '/'
	switch {
	case n == i+1 || !alone:
		return star, n
	case n == len(text) || len(text) > n+1 && text[n:n+2] == `\/`:
		return stars, n
	case text[n] == '/':
		return dirs, n + 1
	}
	return star, n
}

// readClass reads the class that begins at text[i].
func readClass(text string, i int) (s *set, next int, ok bool) {
	s = &set{}
	i++
	not := i < len(text) && (text[i] == '!' || text[i] == '^')
	if not {
		i++
	}
	previous := -1
	for first := true; ; first = false {
		if i >= len(text) {
			return nil, 0, false
		}
		c := text[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '\\':
			if i++; i >= len(text) {
				return nil, 0, false
			}
			s.add(text[i])
			previous = int(text[i])
		case c == '-' && previous > 0 && i+1 < len(text) && text[i+1] != ']':
			if i++; text[i] == '\\' {
				if i++; i >= len(text) {
					return nil, 0, false
				}
			}
			for b := previous; b <= int(text[i]); b++ {
				s.add(byte(b))
			}
			previous = -1
		case c == '[' && i+1 < len(text) && text[i+1] == ':':
			end, named, ok := readNamed(text, i, s)
			if !ok {
				return nil, 0, false
			}
			if i, previous = end, -1; !named {
				previous = '['
			}
		default:
			s.add(c)
			previous = int(c)
		}
		i++
	}
	if not {
		for n := range s {
			s[n] = ^s[n]
		}
	}
	return s, i + 1, true
}

// readNamed reads [:name:] at text[i] into s and returns where it ends. named is false if it is no such thing, and the
// bracket stands for itself.
func readNamed(text string, i int, s *set) (end int, named, ok bool) {
	close := bytes.IndexByte([]byte(text[i+2:]), ']')
	if close < 0 {
		return 0, false, false
	}
	end = i + 2 + close
	if close < 1 || text[end-1] != ':' {
		s.add('[')
		return i, false, true
	}
	is, ok := posixClasses[text[i+2:end-1]]
	for c := 0; ok && c < 128; c++ {
		if is(byte(c)) {
			s.add(byte(c))
		}
	}
	return end, true, ok
}

func between(lo, hi byte) func(byte) bool { return func(c byte) bool { return lo <= c && c <= hi } }

func anyOf(all ...func(byte) bool) func(byte) bool {
	return func(c byte) bool {
		for _, is := range all {
			if is(c) {
				return true
			}
		}
		return false
	}
}

var (
	digit = between('0', '9')
	lower = between('a', 'z')
	upper = between('A', 'Z')
	alpha = anyOf(lower, upper)
	alnum = anyOf(alpha, digit)
	graph = between('!', '~')
)

var posixClasses = map[string]func(byte) bool{
	"alnum": alnum, "alpha": alpha, "digit": digit, "lower": lower, "upper": upper, "graph": graph,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"print":  between(' ', '~'),
	"punct":  func(c byte) bool { return graph(c) && !alnum(c) },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"xdigit": anyOf(digit, between('a', 'f'), between('A', 'F')),
}

// match reports whether the pattern matches the whole of s. It takes at most time in the square of the length of s: only the
// last * and the last ** ever have to be tried again, since a * cannot leave its name, and a ** takes in what any earlier one
// could.
func (w gitGlob) match(s []byte) bool {
	i, at := 0, 0
	near, far := retry{token: -1}, retry{token: -1}
	for {
		switch {
		case i == len(w):
			if at == len(s) {
				return true
			}
		case w[i].op == star:
			near = retry{i, at}
			i++
			continue
		case w[i].op >= stars:
			far, near = retry{i, at}, retry{token: -1}
			i++
			continue
		default:
			if n := w[i].step(s[at:]); n > 0 {
				i, at = i+1, at+n
				continue
			}
		}
		if !near.again(w, s) {
			near.token = -1
			if !far.again(w, s) {
				return false
			}
			i, at = far.token+1, far.at
			continue
		}
		i, at = near.token+1, near.at
	}
}

// step returns how many bytes of s the token takes, 0 if it does not match.
func (t *token) step(s []byte) int {
	switch {
	case t.op == literalText:
		if bytes.HasPrefix(s, t.lit) {
			return len(t.lit)
		}
		return 0
	case len(s) == 0 || s[0] == '/' || t.op == class && !t.set.has(s[0]):
		return 0
	}
	return 1
}

// retry is a star, and where the rest of the pattern was last tried.
type retry struct{ token, at int }

// again lets the star take more.
func (r *retry) again(w gitGlob, s []byte) bool {
	if r.token < 0 || r.at >= len(s) {
		return false
	}
	switch w[r.token].op {
	case star:
		if s[r.at] == '/' {
			return false
		}
	case dirs:
		n := bytes.IndexByte(s[r.at:], '/')
		if n < 0 {
			return false
		}
		r.at += n
	}
	r.at++
	return true
}
