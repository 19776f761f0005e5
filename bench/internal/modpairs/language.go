package modpairs

import (
	"path"
	"strings"
)

// languages names what a file is written in, by its extension.
var languages = map[string]string{
	".go":  "Go",
	".mod": "Go",

	".ts": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".tsx": "TSX",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JSX",
	".vue": "Vue", ".svelte": "Svelte",
	".css": "CSS", ".scss": "SCSS", ".sass": "SCSS", ".less": "Less",
	".html": "HTML", ".htm": "HTML", ".tmpl": "templates", ".gohtml": "templates",

	".c": "C", ".h": "C and C++ headers", ".hpp": "C and C++ headers",
	".cc": "C++", ".cpp": "C++", ".cxx": "C++",
	".m": "Objective-C", ".mm": "Objective-C",
	".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".swift": "Swift",
	".gradle": "Groovy", ".groovy": "Groovy",
	".py": "Python", ".rb": "Ruby", ".podspec": "Ruby", ".php": "PHP", ".rs": "Rust", ".cs": "C#",
	".sol": "Solidity", ".s": "assembly", ".proto": "Protocol Buffers", ".sql": "SQL",
	".sh": "shell", ".bash": "shell", ".bat": "shell", ".ps1": "shell",

	".md": "Markdown", ".mdx": "Markdown", ".txt": "plain text", ".txtar": "plain text", ".golden": "plain text",
	".json": "JSON", ".yml": "YAML", ".yaml": "YAML", ".toml": "TOML",
	".xml": "XML", ".plist": "XML", ".pbxproj": "Xcode project",
	".gyp": "gyp", ".gypi": "gyp", ".cmake": "CMake",
}

// Language returns the language of the file, by its name.
func (p Pair) Language() string {
	if strings.HasSuffix(p.Path, ".d.ts") {
		return "TypeScript declarations"
	}
	if name := languages[strings.ToLower(path.Ext(p.Path))]; name != "" {
		return name
	}
	return "other"
}
