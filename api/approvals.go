package api

import (
	"errors"
	"time"
)

// AllowRequest answers a waiting call with yes.
type AllowRequest struct {
	ID      string `json:"id" jsonschema:"the question"`
	Session bool   `json:"session,omitempty" jsonschema:"and what the same rules ask about, until this session ends"`
}

// DenyRequest answers a waiting call with no.
type DenyRequest struct {
	ID     string `json:"id" jsonschema:"the question"`
	Reason string `json:"reason,omitempty" jsonschema:"what the agent reads"`
}

// The means by which a question is answered, for the log.
const (
	AnsweredByPage     = "page"
	AnsweredByTerminal = "terminal"
	AnsweredByCommand  = "command without a terminal"
	AnsweredByProgram  = "program"
	AnsweredByHub      = "hub"
)

// AnsweredData says how a person answered a question.
type AnsweredData struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	Session bool   `json:"session,omitempty"`
}

// ErrNoPage is the cause of a refusal when no page is open where a person could approve it.
var ErrNoPage = errors.New("nobody is there to ask")

// Question asks a person whether a call may touch paths with an ask rule.
type Question struct {
	Root  string // of the workspace, to be shown
	Actor Actor
	Paths []AskedPath
	// Diff shows what the call would change, beginning with Paths. It is safe to show on a terminal. It is empty when the call
	// only reads, and the patch itself when that is applied section by section.
	Diff string
	// Digest identifies the call: who makes it, the tool, the paths, and the content of every file before and after. A call that
	// would do anything else has another digest.
	Digest string
	// PageOnly says that the policy takes an answer from nowhere but a page.
	PageOnly bool
}

// AskedPath is a path with an ask rule, of the policy or built in.
type AskedPath struct {
	Path    string // from the root
	Write   bool   // the call would write it, else read it
	Rule    string // the pattern of the rule
	BuiltIn bool   `json:",omitempty"`
	Why     string `json:",omitempty"` // what a built-in rule protects
}

// ErrUnanswered is for an asker (see WithAsker) whose answer comes with a later call. The present call is refused, and the log
// does not mention it.
var ErrUnanswered = errors.New("a person has been asked, and has not answered yet")

// Waiting is a call that waits for a person to answer.
type Waiting struct {
	ID       string
	Since    time.Time
	Deadline time.Time // when it is refused without an answer
	Question Question
	// ForSession says that the call belongs to a session, so that a yes may hold until the session ends.
	ForSession bool
	// Below is the directory of the asking workspace in this one; "." if they are the same. The paths of the question are relative to
	// it.
	Below string
}
