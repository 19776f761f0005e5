// Package agents runs coding agents that people use against emend: Claude Code, Codex, opencode and Gemini CLI, each as
// npm has it, each with a scripted model on loopback instead of its own, and emend serve as its MCP server.
//
//	go -C proof test -tags npm -v ./agents
//
// The model knows nothing but what the agent shows it: every hash and every trash id that it sends it has found in the
// text of an earlier result. So the test sees what a model of this agent would see.
//
// The programs are only run, never read, in an empty environment with a HOME of their own. Whatever they want from
// another host goes to a proxy that writes the name down and refuses. A program that cannot be had, or that does not run
// on this machine, skips its test, which says so.
//
//	EMEND_NPM_DIR      where the programs are kept   (default: emend-npm in the user's cache directory)
//	EMEND_AGENTS_KEEP  a directory in which each agent's files are kept: its HOME, its words, what the model was shown
package agents
