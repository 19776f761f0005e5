// Package agents tests emend serve with coding agents: Claude Code, Codex, opencode and Gemini CLI, as npm has them, each
// with a scripted model on loopback instead of its own.
//
//	go -C proof test -tags npm -v ./agents
//
// The script knows only what the agent shows it: it takes every hash and every trash id from the text of an earlier result.
// So the test sees what a model of this agent would see.
//
// The agents are run and never read, in an empty environment with a HOME of their own. A proxy records and refuses their
// requests to other hosts. An agent that is missing, or does not run on this machine, skips its test with the reason.
//
//	EMEND_NPM_DIR      where the programs are kept   (default: emend-npm in the user's cache directory)
//	EMEND_AGENTS_KEEP  a directory for each agent's files: its HOME, its output, what the model was shown
package agents
