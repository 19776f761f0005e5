package paint

import (
	"regexp"
	"slices"
	"strings"
)

// words maps keywords, and the built-in types, functions and constants of a language, to their classes.
func words(keywords, builtins string) map[string]Class {
	out := map[string]Class{}
	for w := range strings.FieldsSeq(builtins) {
		out[w] = Type
	}
	for w := range strings.FieldsSeq(keywords) {
		out[w] = Keyword
	}
	return out
}

// Comments and texts that several languages have.
var (
	lineComment   = quote{open: "//", class: Comment}
	hashComment   = quote{open: "#", class: Comment}
	blankHash     = quote{open: "#", class: Comment, afterBlank: true}
	dashComment   = quote{open: "--", class: Comment}
	blockComment  = quote{open: "/*", close: "*/", class: Comment, multiline: true}
	nestedComment = quote{open: "/*", close: "*/", class: Comment, multiline: true, nest: true}
	doubleQuotes  = quote{open: `"`, close: `"`, class: Text, escape: true}
	singleQuotes  = quote{open: "'", close: "'", class: Text, escape: true}
	rawSingle     = quote{open: "'", close: "'", class: Text}
	backticks     = quote{open: "`", close: "`", class: Text, escape: true, multiline: true}
	rawBackticks  = quote{open: "`", close: "`", class: Text, multiline: true}
	tripleDouble  = quote{open: `"""`, close: `"""`, class: Text, escape: true, multiline: true}
	tripleSingle  = quote{open: "'''", close: "'''", class: Text, escape: true, multiline: true}
	rawTriple     = quote{open: "'''", close: "'''", class: Text, multiline: true}
)

var (
	atSign = map[byte]Class{'@': Meta}
	dollar = map[byte]Class{'$': Attribute}
)

// lead returns the pattern that colours what re matches in its first group, at the beginning of a line.
func lead(re string, class Class) pattern { return pattern{regexp.MustCompile(re), class} }

// assignment returns the patterns for [section] and for the key before "=".
func assignment() []pattern {
	return []pattern{lead(`^[ \t]*(\[[^\]"',]*\])`, Meta), lead(`^[ \t]*([^\x00-\x20=#;"'\[\]{}(),:]*)[ \t]*=`, Attribute)}
}

// directive returns the pattern for "#include" and the like.
func directive() []pattern { return []pattern{lead(`^[ \t]*(#[ \t]*[a-z]*)`, Meta)} }

// regularExpression returns the literal of one, as JavaScript and Ruby have it.
func regularExpression() quote {
	return quote{open: "/", class: Text, operand: true, whole: regexp.MustCompile(`^/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[])*/[a-z]*`)}
}

// table lists all languages.
func table() []*Lang { return slices.Concat(braces(), others(), settings(), documents()) }

// braces lists the languages that look like C.
func braces() []*Lang {
	c := []quote{lineComment, blockComment, doubleQuotes, singleQuotes}
	swift := []quote{lineComment, nestedComment, tripleDouble, doubleQuotes}
	// One character or one escape. Any other ' begins a lifetime.
	char := quote{open: "'", class: Text, whole: regexp.MustCompile(`^'(?:\\'|\\[^']{0,13}|[^\\])'`)}
	rust := []quote{lineComment, nestedComment, {open: `r##"`, close: `"##`, class: Text, multiline: true}, {open: `r#"`, close: `"#`, class: Text, multiline: true},
		{open: `r"`, close: `"`, class: Text, multiline: true}, {open: `"`, close: `"`, class: Text, escape: true, multiline: true}, char,
		{open: "#[", close: "]", class: Meta}, {open: "#![", close: "]", class: Meta}}
	return []*Lang{
		{files: ".go go.mod go.work", quotes: append(c, rawBackticks), calls: true, words: words(goWords, goTypes)},
		{files: ".js .mjs .cjs .jsx", quotes: append(c, backticks, regularExpression()), calls: true, nameChars: "$", sigils: atSign, words: words(jsWords, jsTypes)},
		{files: ".ts .mts .cts .tsx .vue .svelte", quotes: append(c, backticks, regularExpression()), calls: true, nameChars: "$", sigils: atSign,
			words: words(jsWords+tsWords, jsTypes+tsTypes)},
		{files: ".rs", quotes: rust, calls: true, sigils: map[byte]Class{'\'': Type}, words: words(rustWords, rustTypes)},
		{files: ".java .groovy .gradle", quotes: slices.Insert(c, 2, tripleDouble), calls: true, sigils: atSign, words: words(javaWords, javaTypes)},
		{files: ".kt .kts .scala", quotes: append(swift, singleQuotes), calls: true, sigils: atSign, words: words(kotlinWords, kotlinTypes)},
		{files: ".swift", quotes: swift, calls: true, sigils: atSign, words: words(swiftWords, swiftTypes)},
		{files: ".dart", quotes: slices.Insert(c, 2, tripleDouble, tripleSingle), calls: true, sigils: atSign,
			words: words(javaWords+dartWords, javaTypes+dartTypes)},
		{files: ".c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .ino", quotes: append(c, quote{open: `R"(`, close: `)"`, class: Text, multiline: true}),
			calls: true, lead: directive(), words: words(cWords, cTypes)},
		{files: ".cs", quotes: slices.Insert(c, 2, tripleDouble, quote{open: `@"`, close: `"`, class: Text, multiline: true}), calls: true, lead: directive(),
			words: words(csWords, csTypes)},
		{files: ".php", quotes: []quote{lineComment, {open: "#[", close: "]", class: Meta}, hashComment, blockComment, doubleQuotes, singleQuotes}, calls: true, ignoreCase: true,
			sigils: dollar, words: words(phpWords, phpTypes)},
		{files: ".proto", quotes: c, words: words(protoWords, protoTypes)},
		{files: ".tf .hcl", quotes: []quote{hashComment, lineComment, blockComment, doubleQuotes}, calls: true, lead: assignment(), words: words(hclWords, hclTypes)},
	}
}

// others lists the other programming languages.
func others() []*Lang {
	return []*Lang{
		{files: ".py .pyi .pyw .bzl .star build.bazel", quotes: []quote{hashComment, tripleDouble, tripleSingle, doubleQuotes, singleQuotes}, calls: true, sigils: atSign,
			words: words(pyWords, pyTypes)},
		{files: ".rb .rake gemfile rakefile .gemspec", calls: true,
			quotes: []quote{hashComment, {open: "=begin", close: "=end", class: Comment, multiline: true}, doubleQuotes, singleQuotes, backticks, regularExpression()},
			sigils: map[byte]Class{'@': Attribute, '$': Attribute, ':': Number}, words: words(rubyWords, rubyTypes)},
		{files: ".sh .bash .zsh .ksh .bashrc .profile .envrc", quotes: []quote{blankHash, doubleQuotes, rawSingle, {open: "`", close: "`", class: Text, escape: true}},
			sigils: dollar, words: words(shellWords, shellTypes)},
		{files: ".ps1 .psm1", quotes: []quote{{open: "<#", close: "#>", class: Comment, multiline: true}, hashComment, doubleQuotes, rawSingle}, ignoreCase: true, nameChars: "-",
			sigils: dollar, words: words(powerWords, "")},
		{files: ".sql", ignoreCase: true, calls: true, words: words(sqlWords, sqlTypes),
			quotes: []quote{dashComment, blockComment, rawSingle, {open: `"`, close: `"`, class: Attribute}, {open: "`", close: "`", class: Attribute}}},
		{files: ".lua", calls: true, words: words(luaWords, luaTypes), quotes: []quote{{open: "--[[", close: "]]", class: Comment, multiline: true}, dashComment,
			{open: "[[", close: "]]", class: Text, multiline: true}, doubleQuotes, singleQuotes}},
	}
}

// settings lists the languages of configuration and data.
func settings() []*Lang {
	return []*Lang{
		{files: ".json .jsonc .json5 .ipynb .webmanifest", quotes: []quote{lineComment, blockComment, doubleQuotes}, keys: true, words: words("", "true false null")},
		{files: ".yaml .yml", nameChars: "-.",
			lead: []pattern{lead(`^[ \t]*(?:- [ \t]*)*(---.*)`, Meta), lead(`^[ \t]*(?:- [ \t]*)*([^#{\[: \t](?:[^: ]| +[^:# ])* *):(?: |$)`, Attribute)}, sigils: map[byte]Class{'&': Meta, '*': Meta, '!': Type},
			quotes: []quote{blankHash, {open: `"`, close: `"`, class: Text, escape: true, afterBlank: true}, {open: "'", close: "'", class: Text, afterBlank: true}},
			words:  words("", "true false null yes no on off True False")},
		{files: ".toml cargo.lock poetry.lock uv.lock", quotes: []quote{hashComment, tripleDouble, rawTriple, doubleQuotes, rawSingle}, lead: assignment(),
			words: words("", "true false")},
		{files: ".ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service", lead: assignment(),
			quotes: []quote{blankHash, {open: ";", class: Comment, afterBlank: true}, doubleQuotes}, words: words("", "true false yes no on off")},
		{files: "dockerfile .dockerfile containerfile", quotes: []quote{blankHash, doubleQuotes, rawSingle}, lead: []pattern{lead(`^[ \t]*([A-Z]{2,})(?: |$)`, Keyword)}, sigils: dollar},
		{files: "makefile gnumakefile .mk", quotes: []quote{blankHash, doubleQuotes, rawSingle},
			lead: []pattern{lead(`^([^ \t#:=][^:=#]*?)[ ?+!]*:?=`, Attribute), lead(`^([^ \t#:=][^:=#]*):`, Function)}, sigils: dollar,
			words: words("ifeq ifneq ifdef ifndef else endif include define endef export override", "")},
	}
}

// documents lists the languages of documents and style sheets.
func documents() []*Lang {
	return []*Lang{
		{files: ".css .scss .less", quotes: []quote{blockComment, {open: "// ", class: Comment}, doubleQuotes, singleQuotes}, calls: true, nameChars: "-",
			lead:   []pattern{lead(`^[ \t]*([a-zA-Z-][a-zA-Z0-9-]*):(?:.*[^{,\s])?\s*$`, Attribute)},
			sigils: map[byte]Class{'@': Keyword, '#': Number, '$': Attribute}},
		{files: ".html .htm .xhtml .xml .svg .tmpl .gohtml .plist .xsd .xsl .csproj .props", scan: markup},
		{files: ".md .markdown .mdx", scan: markdown,
			lead: []pattern{lead(`^[ \t]*(#.*)`, Meta), lead(`^[ \t]*(>.*)`, Comment), lead(`^[ \t]*([-*+]) `, Keyword)}},
	}
}
