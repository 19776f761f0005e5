package api

import (
	"errors"
	"time"
)

// AllowRequest lets a call that waits happen.
type AllowRequest struct {
	ID      string `json:"id" jsonschema:"the question"`
	Session bool   `json:"session,omitempty" jsonschema:"and what the same rules ask about, until this session ends"`
	By      string `json:"-"` // where the person answers, for the log: "terminal", or "" for the page
}

// DenyRequest refuses a call that waits.
type DenyRequest struct {
	ID     string `json:"id" jsonschema:"the question"`
	Reason string `json:"reason,omitempty" jsonschema:"what the agent reads"`
	By     string `json:"-"` // as in AllowRequest
}

// AnsweredData is a question that a person answered.
type AnsweredData struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	Session bool   `json:"session,omitempty"`
}

// ErrNoPage is in the refusals of [Workspace.AskThere] where no person could be asked.
var ErrNoPage = errors.New("nobody is there to ask")

// Question is what a person is asked before a call touches what a policy wants them to be asked about.
type Question struct {
	Root  string // of the workspace, to be shown
	Actor Actor
	Paths []AskedPath
	// Diff is what the call would change, what is asked about first, and safe to show on a terminal. It is empty when the
	// call only reads. Of a patch that is applied section by section it is the patch.
	Diff string
	// Digest names the call: who asks, the tool, the paths, and the content of every file before and after. A call that would do
	// anything else has another one.
	Digest string
}

// AskedPath is a path that a policy wants a person to be asked about.
type AskedPath struct {
	Path  string // from the root
	Write bool   // it would be written, else read
	Rule  string // the pattern of the policy
}

// ErrUnanswered is what a hook of [Asking] returns when the answer will come with another call: this one is refused, and
// that is not noted in the log.
var ErrUnanswered = errors.New("a person has been asked, and has not answered yet")

// Waiting is a call that waits for a person to answer, as the store has it.
type Waiting struct {
	ID       string
	Since    time.Time
	Deadline time.Time // when it is refused without an answer
	Question Question
	// Below is where the workspace that asks lies in this one, which the paths of the question are relative to; "." for this one.
	Below string
}
