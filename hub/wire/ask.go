package wire

import (
	"time"

	"github.com/emend-dev/emend/api"
)

// Ask is a request of a hub to a joined workspace. Exactly one of the fields below By is set. The workspace does it if its owner allowed
// it (see [Allow]); resending records that the hub should have is always allowed.
type Ask struct {
	V  int       `json:"v"`
	ID string    `json:"id"` // random; the same ask, sent again, is done once
	At time.Time `json:"at"`
	By string    `json:"by"` // who wants it, for the log

	Answer *Answer     `json:"answer,omitempty"`
	Undo   *Undo       `json:"undo,omitempty"`
	Policy *SignedPack `json:"policy,omitempty"`
	Stop   *Stop       `json:"stop,omitempty"`
	Resend *Resend     `json:"resend,omitempty"`
}

// AskFor limits the age of an ask: a workspace refuses an older one, and one that is further ahead.
const AskFor = 2 * time.Minute

// HubActor begins the name of who froze a workspace because a hub asked for it. The name of the
// person at the hub follows.
const HubActor = "the hub ("

// Kind names what is asked: the word of --allow, or resend.
func (a *Ask) Kind() string {
	kind, n := "", 0
	for _, k := range []struct {
		set  bool
		name string
	}{{a.Answer != nil, "approve"}, {a.Undo != nil, "undo"}, {a.Policy != nil, "policy"}, {a.Stop != nil, "stop"}, {a.Resend != nil, "resend"}} {
		if k.set {
			kind = k.name
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return kind
}

// Answer answers a waiting call. It counts only if the call that waits under ID still has the digest.
type Answer struct {
	ID      string `json:"id"`
	Digest  string `json:"digest"`
	Allow   bool   `json:"allow"`
	Session bool   `json:"session,omitempty"` // and what the same rules ask about, until the session ends
	Reason  string `json:"reason,omitempty"`  // of a no
}

// Undo takes back an entry or a session.
type Undo struct {
	Entry         string `json:"entry,omitempty"`
	Session       string `json:"session,omitempty"`
	Preview       bool   `json:"preview,omitempty"` // only say what would be done, and what is in the way
	SkipConflicts bool   `json:"skipConflicts,omitempty"`
	// Effect is that of the preview which a person confirmed. If the undo would do anything else now, it is refused as stale.
	Effect string `json:"effect,omitempty"`
}

// Stop freezes the workspace, or thaws it.
type Stop struct {
	Thaw   bool   `json:"thaw,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Since is the start of the freeze that a thaw ends, as the workspace said it. A thaw of an earlier freeze, sent again, ends no later one.
	Since time.Time `json:"since,omitzero"`
}

// Resend asks for the records behind After up to the number To; without a number, to say again how the workspace is and what waits there.
type Resend struct {
	After api.Head `json:"after"`
	To    uint64   `json:"to"`
	// Settled says that the workspace is as it should be: neither stopped nor to be resumed.
	Settled bool `json:"settled,omitempty"`
}

// Reply answers an [Ask].
type Reply struct {
	V    int    `json:"v"`
	ID   string `json:"id"`
	OK   bool   `json:"ok"`
	Kind string `json:"kind,omitempty"` // of an error: NotAllowed, or a kind of package fail
	Text string `json:"text"`           // what was done, or why not, for a person

	Tx     string        `json:"tx,omitempty"`     // of an undo
	Effect string        `json:"effect,omitempty"` // of the preview of an undo: a hash of each file before and after
	InWay  []string      `json:"inWay,omitempty"`  // of an undo: what conflicts, for a person
	WhyNot string        `json:"whyNot,omitempty"` // of a preview: why the hub cannot do this undo, for a person
	Undoes []string      `json:"undoes,omitempty"`
	Files  []FileDiff    `json:"files,omitempty"` // diffs only if the workspace sends them
	Head   api.Head      `json:"head,omitzero"`
	Took   time.Duration `json:"took,omitempty"`
	Frozen *api.Frozen   `json:"frozen,omitempty"` // of a thaw of another freeze: the one that there is
}

// Kinds of refusals that package fail does not have.
const (
	NotAllowed = "NotAllowed" // the owner did not allow the hub to ask this
	Outdated   = "Outdated"   // the ask is too old, or it was answered with another content before
	BadPack    = "BadPack"    // a policy pack that is not signed by the pinned key, is older, or does not parse
	BadAsk     = "BadAsk"     // it cannot be read
)
