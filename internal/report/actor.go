package report

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/api"
)

// You is the name of a person who uses the pages, to that person: they are the account's own.
const You = "you"

// products has the names of programs, by what they call themselves over the Model Context Protocol and in hooks.
var products = map[string]string{
	"claude-code": "Claude Code", "claude-ai": "Claude Desktop",
	"codex": "Codex", "codex-mcp-client": "Codex",
	"cursor": "Cursor", "cursor-vscode": "Cursor",
	"gemini": "Gemini CLI", "gemini-cli": "Gemini CLI", "gemini-cli-mcp-client": "Gemini CLI",
	"visual studio code": "VS Code", "vscode": "VS Code",
	"opencode": "opencode", "zed": "Zed", "cline": "Cline",
	api.CommandLine: "Command line",
}

// ActorName names who made a call, for people: "Claude Code 2.1", "reviewer (Codex 0.159)", "you". agent and client are as the
// log has them. It returns "" if the log names neither.
func ActorName(agent, client string) string {
	program := ClientName(client)
	switch {
	case agent == api.PersonAgent:
		return You
	case agent == "" || sameName(agent, program):
		return cmp.Or(program, agent)
	case program == "" || client == api.CommandLine:
		return agent
	}
	return agent + " (" + program + ")"
}

// ClientName names a program that calls itself "claude-code/2.1.329": "Claude Code 2.1". Of a version the first two numbers
// are enough.
func ClientName(client string) string {
	name, version, _ := strings.Cut(client, "/")
	if known := products[strings.ToLower(name)]; known != "" {
		name = known
	} else if version == "" || !unicode.IsDigit(rune(version[0])) {
		return client // some other form of name
	}
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		version = parts[0] + "." + parts[1]
	}
	return strings.TrimSpace(name + " " + version)
}

// sameName reports whether an agent has the name of its program, or a part of it: "claude" of "Claude Code 2.1".
func sameName(agent, program string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	a := letters(agent)
	return a != "" && strings.HasPrefix(letters(program), a)
}
