package dialect

import (
	"strings"
	"testing"
)

// block writes a block of f as aider has it.
func block(search, replace string) string {
	return "f\n```go\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n```\n"
}

func TestSearchReplace(t *testing.T) {
	f := "3 update \"f\"\n"
	check(t, SearchReplace, Options{}, []rule{
		{"a block", block("a\nb\n", "a\nc\n"), f + "  4: [ a] [-b] [+c]\n"},
		{"the path in the fence", "```\nf\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n```\n", f + "  4: [-a]\n"},
		{"no fence", "f\n\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", f + "  4: [-a]\n"},
		{"Cline's", "f\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\n"},
		{"Roo's", "f\n<<<<<<< SEARCH\n:start_line:7\n-------\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: at 7 [-a] [+b]\n"},
		{"Roo's, with an end", "f\n<<<<<<< SEARCH\n:start_line:7\n:end_line:8\n-------\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: at 7 [-a] [+b]\n"},
		{"two blocks below one path", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\n  9: [-c] [+d]\n"},
		{"two files", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\ng\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\n8 update \"g\"\n  9: [-c] [+d]\n"},
		{"a new file", block("", "a\n\nb\n"), "3 add \"f\" = \"a\\n\\nb\\n\"\n"},
		{"lines that go", block("a\nb\n", "a\n"), f + "  4: [ a] [-b]\n"},
		{"an escaped divider", block("\\=======\n", "x\n"), f + "  4: [-=======] [+x]\n"},
		{"a backslash before it", block("\\\\=======\n", "x\n"), f + "  4: [-\\=======] [+x]\n"},
		{"other backslashes", block("\\a\n", "\\\\b\n"), f + "  4: [-\\a] [+\\\\b]\n"},
		{"a conflict without its divider", block("<<<<<<< HEAD\n", "x\n"), f + "  4: [-<<<<<<< HEAD] [+x]\n"},
		{"a line of another length", block("========\n", "x\n"), f + "  4: [-========] [+x]\n"},
		{"every line in CRLF is LF", strings.ReplaceAll(block("a\n", "b\n"), "\n", "\r\n"), f + "  4: [-a] [+b]\n"},
		{"a path with spaces", "a b\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", "2 update \"a b\"\n  3: [-a]\n"},
		{"marks of nine characters", "f\n<<<<<<<<< SEARCH\n=======\n=========\nb\n>>>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-=======] [+b]\n"},
		{"marks of five", "f\n<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\n"},
		{"a mark that aider takes", "f\n<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\n"},
		{"a conflict that is escaped whole", block("\\<<<<<<< HEAD\na\n\\=======\nb\n\\>>>>>>> x\n", "b\n"), f + "  4: [-<<<<<<< HEAD] [-a] [-=======] [ b] [->>>>>>> x]\n"},
		{"Roo's other lines, escaped", block("\\:start_line:7\n\\-------\n", "b\n"), f + "  4: [-:start_line:7] [--------] [+b]\n"},

		{"marks of different lengths", "f\n<<<<<<< SEARCH\na\n======\nb\n>>>>>>> REPLACE\n", "! 6 the block has no line ======="},
		{"a conflict", block("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "c\n"), "! 9 the block has the line \"=======\", which may be code"},
		{"a block in a block", block("a\n<<<<<<< SEARCH\n", "b\n"), "! 5 the block has the line \"<<<<<<< SEARCH\""},
		{"the end of another style", block("a\n", "b\n+++++++ REPLACE\n"), "! 7 the block has the line \"+++++++ REPLACE\""},
		{"no divider", "f\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "! 4 the block has no line ======="},
		{"code that ends the block", block("a\n", "b\n>>>>>>> REPLACE\n"), "! 8 this line belongs to no block"},
		{"a divider outside", "f\n=======\n" + block("a\n", "b\n"), "! 2 this line belongs to no block"},
		{"no end", "f\n<<<<<<< SEARCH\na\n=======\nb\n", "! 5 the block that begins on line 2 does not end"},
		{"no divider and no end", "f\n<<<<<<< SEARCH\na\n", "! 3 the block that begins on line 2 does not end"},
		{"nothing in it", block("", ""), "! 3 the block is empty"},
		{"no change", block("a\n", "a\n"), "! 3 the block changes nothing"},
		{"a number and nothing to look for", "f\n<<<<<<< SEARCH\n:start_line:7\n-------\n=======\nb\n>>>>>>> REPLACE\n", "! 2 a line number, and no line"},
		{"no number", "f\n<<<<<<< SEARCH\n:start_line:x\n-------\na\n=======\nb\n>>>>>>> REPLACE\n", "! 3 no line number"},
		{"no path", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "! 1 the block names no file"},
		{"text for a path", "Here it is:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "! 1 is no path"},
		{"text above", "I change f.\n" + block("a\n", "b\n"), "! 1 text around the blocks"},
		{"text below", block("a\n", "b\n") + "Done\n", "! 9 text around the blocks"},
		{"an envelope below", block("a\n", "b\n") + in("*** Delete File: c"), "! 9 this is no SEARCH/REPLACE block"},
		{"a unified diff below", block("a\n", "b\n") + of("@@", "-a"), "! 9 this is no SEARCH/REPLACE block"},
		{"empty", "", "! 1 the patch text is empty"},
		{"NUL", block("a\x00\n", "b\n"), "! 4 binary"},
	})
	check(t, SearchReplace, Options{Lenient: true}, []rule{
		{"text around", "I change it.\n\n### `f`:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nDone\n",
			"4 update \"f\"\n  5: [-a] [+b]\npatch line 1: text around the patch was set aside: \"I change it.\"\npatch line 3: the path was read as \"f\"\npatch line 9: text around the patch was set aside: \"Done\"\n"},
		{"a path in bold", "**f g**\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f g\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f g\"\n"},
		{"a path in a list", "- `f`\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path in a numbered list", "1. f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path with a word that says so", "File: f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"the same, in bold and backticks", "**Filename:** `f`\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path in a comment", "// f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"another comment", "<!-- f -->\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path in a tag", "<path>f</path>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path in quotes", "'f'\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"a path behind a fence", "```f.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "2 update \"f.go\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f.go\"\n"},
		{"behind the language", "```go f.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "2 update \"f.go\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f.go\"\n"},
		{"behind a colon", "```go:f.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "2 update \"f.go\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f.go\"\n"},
		{"as a title", "```go title=\"f.go\"\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "2 update \"f.go\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f.go\"\n"},
		{"a path above the fence counts", "f\n```go:x.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", "3 update \"f\"\n  4: [-a] [+b]\n"},
		{"tags of a program", "<diff>\nf\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</diff>\n", "3 update \"f\"\n  4: [-a] [+b]\npatch line 1: text around the patch was set aside: \"<diff>\"\npatch line 8: text around the patch was set aside: \"</diff>\"\n"},
		{"tags of XML with CDATA", "<path>f</path>\n<content><![CDATA[\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n]]></content>\n", "3 update \"f\"\n  4: [-a] [+b]\npatch line 2: text around the patch was set aside: \"<content><![CDATA[\"\npatch line 1: the path was read as \"f\"\npatch line 8: text around the patch was set aside: \"]]></content>\"\n"},
		{"a path of several words", "a b\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"a b\"\n  3: [-a] [+b]\n"},
		{"a last mark of another length", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 6: the line \">>>>>> REPLACE\" was read as >>>>>>> REPLACE\n"},
		{"the last mark of another program", "f\n<<<<<<< SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 6: the line \"+++++++ REPLACE\" was read as >>>>>>> REPLACE\n"},
		{"the other way", "f\n------- SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 6: the line \">>>>>>> REPLACE\" was read as +++++++ REPLACE\n"},
		{"that of another program, and its own", "f\n------- SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n+++++++ REPLACE\n", "! 6 the block has the line \">>>>>>> REPLACE\", which may be code"},
		{"a path with a word behind it", "f (modified)\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: the path was read as \"f\"\n"},
		{"two of them", "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n>>>>> REPLACE\n", "! 7 does not end"},
		{"a divider of another length", "f\n<<<<<<< SEARCH\na\n======\nb\n>>>>>>> REPLACE\n", "! 6 the block has no line ======="},
		{"JSON", "{\"diff\": \"f\\n<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE\\n\"}", "2 update \"f\"\n  3: [-a] [+b]\npatch line 1: a JSON string around the patch was taken off; line numbers count the lines of the string\n"},
		{"a block in a list", "1. Do:\n\n   f\n   <<<<<<< SEARCH\n   a\n   =======\n   b\n   >>>>>>> REPLACE\n   \n", "4 update \"f\"\n  5: [-a] [+b]\npatch line 1: the indentation of the patch was taken off\npatch line 1: text around the patch was set aside: \"1. Do:\"\n"},
		{"a block in a quotation", "> f\n>\n> <<<<<<< SEARCH\n> a\n> =======\n> b\n> >>>>>>> REPLACE\n", "3 update \"f\"\n  4: [-a] [+b]\npatch line 1: the indentation of the patch was taken off\n"},
		{"a heredoc", "cat <<'EOF'\nf\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nEOF\n", "3 update \"f\"\n  4: [-a] [+b]\npatch line 1: a heredoc around the patch was taken off\n"},
		{"a path or text", "the file\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n", "! 1 may be a path or text"},
	})
}
