package credential

import (
	"slices"
	"strings"
)

const (
	pemBegin = "-----"
	pemLines = 8  // header lines before the body of a block
	pemBody  = 40 // bytes of base64 that make a body; a line of it has 64 or more
)

// pemLabels are the labels of private keys, between BEGIN and the dashes.
var pemLabels = []string{"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY",
	"ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"}

// findPEM finds the beginning of a private key, as lines or as a string literal with \n in it. A label without a body is no
// key: programs that read keys have many.
func findPEM(text string, at int) (from, to int, ok bool) {
	from = at - len(pemBegin)
	if from < 0 || text[from:at] != pemBegin {
		return 0, 0, false
	}
	rest, ok := strings.CutPrefix(text[at:], "BEGIN ")
	if !ok {
		return 0, 0, false
	}
	label, _, _ := strings.Cut(rest[:min(len(rest), 64)], pemBegin)
	if !slices.Contains(pemLabels, label) || !strings.HasPrefix(rest[len(label):], pemBegin) {
		return 0, 0, false
	}
	to = at + len("BEGIN ") + len(label) + len(pemBegin)
	for range pemLines {
		to = skipSeparators(text, to)
		end := to
		for end < len(text) && end-to < 2*pemBody && isBase64(text[end]) {
			end++
		}
		if end-to >= pemBody {
			return from, end, true
		}
		line := text[to:min(len(text), to+200)]
		header, _, isHeader := strings.Cut(line, ": ")
		if !isHeader || strings.ContainsAny(header, "\n\"'` ") {
			return 0, 0, false
		}
		n := strings.Index(line, "\n")
		if escaped := strings.Index(line, `\n`); escaped >= 0 && (n < 0 || escaped < n) {
			n = escaped
		}
		if n < 0 {
			return 0, 0, false
		}
		to += n
	}
	return 0, 0, false
}

// skipSeparators skips what stands between the lines of a key, in a file or in source code.
func skipSeparators(text string, at int) int {
	for stop := at + 64; at < len(text) && at < stop; at++ {
		switch {
		case strings.IndexByte(" \t\r\n\"'`+,", text[at]) >= 0:
		case text[at] == '\\' && at+1 < len(text) && (text[at+1] == 'n' || text[at+1] == 'r' || text[at+1] == '\n'):
			at++
		default:
			return at
		}
	}
	return at
}

// findAWSKeyID finds the id of a key, but not the example of AWS's documentation.
func findAWSKeyID(text string, at int) (from, to int, ok bool) {
	to, ok = run(text, at+4, 16, 16, isBase32)
	if !ok || !beginsWord(text, at) || to < len(text) && isWord(text[to]) || strings.HasSuffix(text[at:to], "EXAMPLE") {
		return 0, 0, false
	}
	return at, to, true
}

// awsNames are the names before a secret, by their part up to the anchor and the anchor with the rest.
var awsNames = [][2]string{{"secret_acce", "ss_key"}, {"SECRET_ACCE", "SS_KEY"}, {"ecretAcce", "ssKey"}}

// findAWSSecret finds a secret after its name. It has no mark of its own.
func findAWSSecret(text string, at int) (from, to int, ok bool) {
	for _, name := range awsNames {
		if !strings.HasSuffix(text[:at], name[0]) || !strings.HasPrefix(text[at:], name[1]) {
			continue
		}
		begin, ok := assigned(text, at+len(name[1]))
		if !ok {
			return 0, 0, false
		}
		to, ok := run(text, begin, 40, 40, isBase64)
		if !ok || strings.HasSuffix(text[begin:to], "EXAMPLEKEY") {
			return 0, 0, false
		}
		return begin, to, true
	}
	return 0, 0, false
}

// assigned returns where the value begins that is assigned to the name before text[at]: after = or : and quotes.
func assigned(text string, at int) (value int, ok bool) {
	for stop := at + 16; at < len(text) && at < stop; at++ {
		switch c := text[at]; {
		case c == '=' || c == ':':
			ok = true
		case strings.IndexByte(" \t\"'`>", c) < 0:
			return at, ok
		}
	}
	return 0, false
}

// findSlack finds xoxb-, a number, and more parts between dashes.
func findSlack(text string, at int) (from, to int, ok bool) {
	if !strings.HasPrefix(text[at+4:], "-") || !beginsWord(text, at) {
		return 0, 0, false
	}
	digits := at + 5
	for digits < len(text) && digits < at+5+14 && isDigit(text[digits]) {
		digits++
	}
	if n := digits - at - 5; n < 10 || !strings.HasPrefix(text[digits:], "-") {
		return 0, 0, false
	}
	to, ok = run(text, digits+1, 20, 255, func(c byte) bool { return isAlnum(c) || c == '-' })
	return at, to, ok
}

// findAnthropic finds sk-ant-, a word with two digits, as api03, a dash and the key.
func findAnthropic(text string, at int) (from, to int, ok bool) {
	rest, ok := strings.CutPrefix(text[at:], "sk-ant-")
	if !ok || !beginsWord(text, at) {
		return 0, 0, false
	}
	kind, _, ok := strings.Cut(rest[:min(len(rest), 16)], "-")
	if !ok || len(kind) < 3 || !isDigit(kind[len(kind)-1]) || !isDigit(kind[len(kind)-2]) {
		return 0, 0, false
	}
	to, ok = run(text, at+len("sk-ant-")+len(kind)+1, 80, 255, isDashed)
	return at, to, ok
}

// openAIMark is in the middle of every key of OpenAI: "OpenAI" in base64.
const openAIMark = "T3BlbkFJ"

func findOpenAI(text string, at int) (from, to int, ok bool) {
	for _, prefix := range []string{"sk-proj-", "sk-svcacct-", "sk-admin-"} {
		if strings.HasPrefix(text[at:], prefix) && beginsWord(text, at) {
			to, ok = run(text, at+len(prefix), 40, 255, isDashed)
			return at, to, ok && strings.Contains(text[at:to], openAIMark)
		}
	}
	return 0, 0, false
}
