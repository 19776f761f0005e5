//go:build npm

package interop

import "maps"

// reason says why a scenario cannot pass: a word for the table, and a sentence.
type reason struct{ word, why string }

var (
	noCompletion    = reason{"no completion", "emend has no prompts and no arguments to complete, and does not announce completion."}
	noSubscriptions = reason{"no subscriptions", "emend does not notify of changes to files, and does not announce that it does. The hash that a client sends with an edit reveals every change."}
	noTasks         = reason{"no tasks", "An extension that no revision requires: a client starts a task and asks for its result later. Calls of emend are short; a client cancels one instead."}
	noResume        = reason{"no resuming", "emend does not resume a broken stream. The log has the answer that was lost, and a call with an idempotencyKey can be repeated."}
	noPrompts       = reason{"no prompts", "emend has no prompts and does not announce any. A client that asks for them nevertheless gets an empty list, where the suite expects an error."}
	noHeaders       = reason{"no headers", "A tool may ask clients to repeat an argument as a header of the request, for proxies. No tool of emend asks for it."}
	suitesOwn       = reason{"fixture", "The scenario calls tools, resources and prompts with names of the suite, which only the fixture has."}
)

// notOffered cannot pass on any server of emend.
var notOffered = map[string]reason{
	"completion-complete":          noCompletion,
	"resources-subscribe":          noSubscriptions,
	"resources-unsubscribe":        noSubscriptions,
	"server-sse-polling":           noResume,
	"tasks-lifecycle":              noTasks,
	"tasks-capability-negotiation": noTasks,
	"tasks-wire-fields":            noTasks,
	"tasks-request-state-removal":  noTasks,
	"tasks-mrtr-input":             noTasks,
	"tasks-request-headers":        noTasks,
	"tasks-dispatch-and-envelope":  noTasks,
	"tasks-status-notifications":   noTasks,
	"tasks-required-task-error":    noTasks,
	"tasks-mrtr-composition":       noTasks,
}

// needFixture cannot pass on the shipped server.
var needFixture = func() map[string]reason {
	out := maps.Clone(notOffered)
	for _, name := range ofTheSuite {
		out[name] = suitesOwn
	}
	out["http-custom-header-server-validation"] = noHeaders
	out["server-stateless:sep-2575-server-declares-prompts-in-discover"] = noPrompts
	for _, check := range []string{"server-rejects-undeclared-capability", "missing-capability-http-400",
		"http-server-no-independent-requests-on-stream", "server-no-log-without-loglevel"} {
		out["server-stateless:sep-2575-"+check] = suitesOwn
	}
	return out
}()

// ofTheSuite lists the scenarios that call what only the fixture has.
var ofTheSuite = []string{
	"elicitation-sep1034-defaults",
	"elicitation-sep1330-enums",
	"input-required-result-basic-elicitation",
	"input-required-result-basic-list-roots",
	"input-required-result-basic-sampling",
	"input-required-result-capability-check",
	"input-required-result-ignore-extra-params",
	"input-required-result-missing-input-response",
	"input-required-result-multi-round",
	"input-required-result-multiple-input-requests",
	"input-required-result-non-tool-request",
	"input-required-result-request-state",
	"input-required-result-result-type",
	"input-required-result-tampered-state",
	"json-schema-2020-12",
	"prompts-get-embedded-resource",
	"prompts-get-simple",
	"prompts-get-with-args",
	"prompts-get-with-image",
	"resources-read-binary",
	"resources-read-text",
	"resources-templates-read",
	"tools-call-audio",
	"tools-call-elicitation",
	"tools-call-embedded-resource",
	"tools-call-error",
	"tools-call-image",
	"tools-call-mixed-content",
	"tools-call-sampling",
	"tools-call-simple-text",
	"tools-call-with-logging",
	"tools-call-with-progress",
}
