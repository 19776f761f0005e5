package paint

import "strings"

// indent is how many blanks s begins with.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// directive is "#include" and its like.
func directive(s string) lead {
	i := indent(s)
	if i == len(s) || s[i] != '#' {
		return lead{}
	}
	n := i + 1 + indent(s[i+1:])
	for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
		n++
	}
	return lead{i, n, Meta}
}

// assigned is the key before "=", and "[section]".
func assigned(s string) lead {
	i := indent(s)
	if i < len(s) && s[i] == '[' {
		if n := strings.IndexByte(s[i:], ']'); n > 0 && !strings.ContainsAny(s[i:i+n], "\"',") {
			return lead{i, i + n + 1, Meta}
		}
	}
	n := i
	for n < len(s) && (s[n] > ' ' && !strings.ContainsRune("=#;\"'[]{}(),:", rune(s[n]))) {
		n++
	}
	if strings.HasPrefix(strings.TrimLeft(s[n:], " \t"), "=") {
		return lead{i, n, Attribute}
	}
	return lead{}
}

// yamlKey is the key of a line "- key: value".
func yamlKey(s string) lead {
	i := indent(s)
	for strings.HasPrefix(s[i:], "- ") {
		i += 2 + indent(s[i+2:])
	}
	if strings.HasPrefix(s[i:], "---") {
		return lead{i, len(s), Meta}
	}
	rest := s[i:]
	n := strings.IndexByte(rest, ':')
	if n <= 0 || strings.IndexByte("#{[", rest[0]) >= 0 || n+1 < len(rest) && rest[n+1] != ' ' || strings.Contains(rest[:n], " #") {
		return lead{}
	}
	return lead{i, i + n, Attribute}
}

// property is the name of a property in a line of a style sheet that opens no block.
func property(s string) lead {
	i := indent(s)
	n := i
	for n < len(s) && (s[n] == '-' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z' || n > i && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	line := strings.TrimSpace(s)
	if n == i || n == len(s) || s[n] != ':' || strings.HasSuffix(line, "{") || strings.HasSuffix(line, ",") {
		return lead{}
	}
	return lead{i, n, Attribute}
}

// instruction is the first word of a line, in capitals.
func instruction(s string) lead {
	i := indent(s)
	n := i
	for n < len(s) && 'A' <= s[n] && s[n] <= 'Z' {
		n++
	}
	if n-i < 2 || n < len(s) && s[n] != ' ' {
		return lead{}
	}
	return lead{i, n, Keyword}
}

// target is what a rule makes, or a variable that is set.
func target(s string) lead {
	if s == "" || s[0] == '\t' || s[0] == '#' || s[0] == ' ' {
		return lead{}
	}
	n := strings.IndexAny(s, ":=#")
	switch {
	case n <= 0 || s[n] == '#':
		return lead{}
	case s[n] == '=' || strings.HasPrefix(s[n:], ":="):
		return lead{0, len(strings.TrimRight(s[:n], " ?+:!")), Attribute}
	}
	return lead{0, n, Function}
}
