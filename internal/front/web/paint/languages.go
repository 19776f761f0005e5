package paint

import (
	"slices"
	"strings"
)

// words are keywords, and the names of types and constants that a language has of its own.
func words(keywords, types string) map[string]Class {
	out := map[string]Class{}
	for w := range strings.FieldsSeq(types) {
		out[w] = Type
	}
	for w := range strings.FieldsSeq(keywords) {
		out[w] = Keyword
	}
	return out
}

// How comments and texts begin and end.
var (
	slashes  = quote{open: "//", class: Comment}
	hash     = quote{open: "#", class: Comment}
	hashes   = quote{open: "#", class: Comment, alone: true}
	dashes   = quote{open: "--", class: Comment}
	stars    = quote{open: "/*", close: "*/", class: Comment, many: true}
	nested   = quote{open: "/*", close: "*/", class: Comment, many: true, nest: true}
	double   = quote{open: `"`, close: `"`, class: Text, escape: true}
	single   = quote{open: "'", close: "'", class: Text, escape: true}
	literal  = quote{open: "'", close: "'", class: Text}
	letter   = quote{open: "'", close: "'", class: Text, one: true}
	tick     = quote{open: "`", close: "`", class: Text, escape: true, many: true}
	raw      = quote{open: "`", close: "`", class: Text, many: true}
	doubles  = quote{open: `"""`, close: `"""`, class: Text, escape: true, many: true}
	singles  = quote{open: "'''", close: "'''", class: Text, escape: true, many: true}
	literals = quote{open: "'''", close: "'''", class: Text, many: true}
)

var (
	at     = map[byte]Class{'@': Meta}
	dollar = map[byte]Class{'$': Attribute}
)

// table is every language.
func table() []*Lang { return slices.Concat(braces(), others(), settings(), documents()) }

// braces are the languages that look like C.
func braces() []*Lang {
	c := []quote{slashes, stars, double, single}
	swift := []quote{slashes, nested, doubles, double}
	rust := []quote{slashes, nested, {open: `r##"`, close: `"##`, class: Text, many: true}, {open: `r#"`, close: `"#`, class: Text, many: true},
		{open: `r"`, close: `"`, class: Text, many: true}, {open: `"`, close: `"`, class: Text, escape: true, many: true}, letter,
		{open: "#[", close: "]", class: Meta}, {open: "#![", close: "]", class: Meta}}
	return []*Lang{
		{files: ".go go.mod go.work", quotes: append(c, raw), calls: true, words: words(goWords, goTypes)},
		{files: ".js .mjs .cjs .jsx", quotes: append(c, tick), calls: true, regexp: true, names: "$", sigils: at, words: words(jsWords, jsTypes)},
		{files: ".ts .mts .cts .tsx .vue .svelte", quotes: append(c, tick), calls: true, regexp: true, names: "$", sigils: at,
			words: words(jsWords+tsWords, jsTypes+tsTypes)},
		{files: ".rs", quotes: rust, calls: true, sigils: map[byte]Class{'\'': Type}, words: words(rustWords, rustTypes)},
		{files: ".java .groovy .gradle", quotes: slices.Insert(c, 2, doubles), calls: true, sigils: at, words: words(javaWords, javaTypes)},
		{files: ".kt .kts .scala", quotes: append(swift, single), calls: true, sigils: at, words: words(kotlinWords, kotlinTypes)},
		{files: ".swift", quotes: swift, calls: true, sigils: at, words: words(swiftWords, swiftTypes)},
		{files: ".dart", quotes: slices.Insert(c, 2, doubles, singles), calls: true, sigils: at,
			words: words(javaWords+dartWords, javaTypes+dartTypes)},
		{files: ".c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .ino", quotes: append(c, quote{open: `R"(`, close: `)"`, class: Text, many: true}),
			calls: true, lead: directive, words: words(cWords, cTypes)},
		{files: ".cs", quotes: slices.Insert(c, 2, doubles, quote{open: `@"`, close: `"`, class: Text, many: true}), calls: true, lead: directive,
			words: words(csWords, csTypes)},
		{files: ".php", quotes: []quote{slashes, {open: "#[", close: "]", class: Meta}, hash, stars, double, single}, calls: true, fold: true,
			sigils: dollar, words: words(phpWords, phpTypes)},
		{files: ".proto", quotes: c, words: words(protoWords, protoTypes)},
		{files: ".tf .hcl", quotes: []quote{hash, slashes, stars, double}, calls: true, lead: assigned, words: words(hclWords, hclTypes)},
	}
}

// others are the other languages of programs.
func others() []*Lang {
	return []*Lang{
		{files: ".py .pyi .pyw .bzl .star build.bazel", quotes: []quote{hash, doubles, singles, double, single}, calls: true, sigils: at,
			words: words(pyWords, pyTypes)},
		{files: ".rb .rake gemfile rakefile .gemspec", calls: true, regexp: true,
			quotes: []quote{hash, {open: "=begin", close: "=end", class: Comment, many: true}, double, single, tick},
			sigils: map[byte]Class{'@': Attribute, '$': Attribute, ':': Number}, words: words(rubyWords, rubyTypes)},
		{files: ".sh .bash .zsh .ksh .bashrc .profile .envrc", quotes: []quote{hashes, double, literal, {open: "`", close: "`", class: Text, escape: true}},
			sigils: dollar, words: words(shellWords, shellTypes)},
		{files: ".ps1 .psm1", quotes: []quote{{open: "<#", close: "#>", class: Comment, many: true}, hash, double, literal}, fold: true, names: "-",
			sigils: dollar, words: words(powerWords, "")},
		{files: ".sql", fold: true, calls: true, words: words(sqlWords, sqlTypes),
			quotes: []quote{dashes, stars, literal, {open: `"`, close: `"`, class: Attribute}, {open: "`", close: "`", class: Attribute}}},
		{files: ".lua", calls: true, words: words(luaWords, luaTypes), quotes: []quote{{open: "--[[", close: "]]", class: Comment, many: true}, dashes,
			{open: "[[", close: "]]", class: Text, many: true}, double, single}},
	}
}

// settings are what programs read, and no programs.
func settings() []*Lang {
	return []*Lang{
		{files: ".json .jsonc .json5 .ipynb .webmanifest", quotes: []quote{slashes, stars, double}, keys: true, words: words("", "true false null")},
		{files: ".yaml .yml", names: "-.", lead: yamlKey, sigils: map[byte]Class{'&': Meta, '*': Meta, '!': Type},
			quotes: []quote{hashes, {open: `"`, close: `"`, class: Text, escape: true, alone: true}, {open: "'", close: "'", class: Text, alone: true}},
			words:  words("", "true false null yes no on off True False")},
		{files: ".toml cargo.lock poetry.lock uv.lock", quotes: []quote{hash, doubles, literals, double, literal}, lead: assigned,
			words: words("", "true false")},
		{files: ".ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service", lead: assigned,
			quotes: []quote{hashes, {open: ";", class: Comment, alone: true}, double}, words: words("", "true false yes no on off")},
		{files: "dockerfile .dockerfile containerfile", quotes: []quote{hashes, double, literal}, lead: instruction, sigils: dollar},
		{files: "makefile gnumakefile .mk", quotes: []quote{hashes, double, literal}, lead: target, sigils: dollar,
			words: words("ifeq ifneq ifdef ifndef else endif include define endef export override", "")},
	}
}

// documents are what people read, and style sheets.
func documents() []*Lang {
	return []*Lang{
		{files: ".css .scss .less", quotes: []quote{stars, {open: "// ", class: Comment}, double, single}, calls: true, names: "-", lead: property,
			sigils: map[byte]Class{'@': Keyword, '#': Number, '$': Attribute}},
		{files: ".html .htm .xhtml .xml .svg .tmpl .gohtml .plist .xsd .xsl .csproj .props", scan: markup},
		{files: ".md .markdown .mdx", scan: markdown},
	}
}
