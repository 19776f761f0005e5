package control

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// Act is one act of a person at the hub, or what became of one. The acts are the hub's log: each has the hash of the one before it.
// They are also all that the hub has decided: what holds now is what they say together.
type Act struct {
	V    int       `json:"v"`
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"ts"`
	Prev string    `json:"prev"`
	Kind ActKind   `json:"kind"`
	By   string    `json:"by"`              // the name of who did it; "hub" for the hub itself
	With string    `json:"token,omitempty"` // the id of the token

	Token     *Token           `json:"issued,omitempty"`
	Revoked   string           `json:"revoked,omitempty"` // the id of a token
	Pack      *wire.SignedPack `json:"pack,omitempty"`
	Rollout   *Rollout         `json:"rollout,omitempty"`
	Workspace string           `json:"workspace,omitempty"`
	Answer    *wire.Answer     `json:"answer,omitempty"`
	Undo      *wire.Undo       `json:"undo,omitempty"`
	Stop      *Stop            `json:"stop,omitempty"`
	Member    *wire.Member     `json:"member,omitempty"`
	Invite    *wire.Invitation `json:"invite,omitempty"`
	Text      string           `json:"text,omitempty"`
	Of        uint64           `json:"of,omitempty"` // of an outcome: the act
	Results   []Result         `json:"results,omitempty"`

	H string `json:"h"`
}

// ActKind says what an act does.
type ActKind string

// The kinds of acts.
const (
	ActIssue   ActKind = "issue token"
	ActRevoke  ActKind = "revoke token"
	ActPublish ActKind = "publish policy"
	ActRollout ActKind = "roll out policy"
	ActAnswer  ActKind = "answer"
	ActUndo    ActKind = "undo"
	ActStop    ActKind = "stop"
	ActResume  ActKind = "resume"
	ActInvite  ActKind = "invite"
	ActMember  ActKind = "change workspace"
	ActExpel   ActKind = "revoke workspace"
	ActSignIn  ActKind = "sign in"
	ActOutcome ActKind = "outcome"
)

// Result is the reply of a workspace to an act.
type Result struct {
	Workspace string `json:"workspace"`
	OK        bool   `json:"ok"`
	Away      bool   `json:"away,omitempty"` // it was not there; it is asked when it comes back, where that makes sense
	Text      string `json:"text"`
	Tx        string `json:"tx,omitempty"`
}

// Rollout gives the workspaces with a label a policy pack.
type Rollout struct {
	Label string        `json:"label"` // "" for all workspaces
	Pack  wire.PackName `json:"pack"`
}

// Stop keeps workspaces from being changed.
type Stop struct {
	Workspace string `json:"workspace,omitempty"` // or
	Label     string `json:"label,omitempty"`     // and with neither, all workspaces
	Reason    string `json:"reason,omitempty"`
}

func (s Stop) target() string {
	switch {
	case s.Workspace != "":
		return "workspace " + s.Workspace
	case s.Label != "":
		return "label " + s.Label
	}
	return "all"
}

// The stream of acts. No message of it can be removed.
const (
	actsStream  = "EMEND_ACTS"
	actsSubject = "emend.acts"
)

// ErrLog is the cause of an error when the log of acts does not verify. The hub decides nothing then.
var ErrLog = errors.New("the hub's own log was changed")

// ErrBroker is the cause of an error when the store of the log does not answer.
var ErrBroker = errors.New("the hub's store does not answer")

// log is the log of acts, as far as it was read.
type log struct {
	js   jetstream.JetStream
	s    jetstream.Stream
	head api.Head
}

func openLog(ctx context.Context, js jetstream.JetStream, replicas int) (*log, error) {
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: actsStream, Description: "what people did at the hub", Subjects: []string{actsSubject},
		Storage: jetstream.FileStorage, DenyDelete: true, DenyPurge: true, Replicas: replicas, Duplicates: time.Second})
	return &log{js: js, s: s}, err
}

// read calls each with the acts behind the head, and moves it. It checks that each continues the one before.
func (l *log) read(ctx context.Context, each func(*Act)) error {
	info, err := l.s.Info(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroker, err)
	}
	for l.head.Seq < info.State.LastSeq {
		m, err := l.s.GetMsg(ctx, l.head.Seq+1)
		if err != nil {
			return fmt.Errorf("act %d: %w: %w", l.head.Seq+1, ErrBroker, err)
		}
		a, err := parseAct(m.Data)
		if err == nil {
			err = l.follows(a)
		}
		if err != nil {
			return fmt.Errorf("act %d: %w: %w", l.head.Seq+1, ErrLog, err)
		}
		l.head = api.Head{Seq: a.Seq, H: a.H}
		each(a)
	}
	return nil
}

func (l *log) follows(a *Act) error {
	if a.Seq != l.head.Seq+1 || a.Prev != l.head.H {
		return errors.New("it does not continue the act before it")
	}
	return nil
}

// append adds an act. When it returns nil, the act is on disk. If another hub was quicker, the error is errBehind, and nothing was added.
func (l *log) append(ctx context.Context, a *Act) error {
	a.V, a.Seq, a.Prev, a.At = 1, l.head.Seq+1, l.head.H, time.Now().UTC()
	line, err := a.encode()
	if err != nil {
		return err
	}
	if _, err := l.js.Publish(ctx, actsSubject, line, jetstream.WithExpectLastSequence(l.head.Seq)); err != nil {
		if e, ok := errors.AsType[*jetstream.APIError](err); ok && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			return errBehind
		}
		return fmt.Errorf("the hub could not log it, so nothing was done: %w", err)
	}
	return nil
}

var errBehind = errors.New("another hub was quicker")

const hashStart = `,"h":"`

// encode sets a.H and returns the line.
func (a *Act) encode() ([]byte, error) {
	a.H = ""
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(text, []byte(hashStart+`"}`))
	a.H = hashOf(body)
	return append(body, hashStart+a.H+`"}`...), nil
}

func hashOf(body []byte) string {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte("}"))
	return hex.EncodeToString(h.Sum(nil))
}

// parseAct reads a line, and checks it against its hash.
func parseAct(line []byte) (*Act, error) {
	a := new(Act)
	if err := json.Unmarshal(line, a); err != nil {
		return nil, err
	}
	body, ok := bytes.CutSuffix(line, []byte(hashStart+a.H+`"}`))
	if !ok || hashOf(body) != a.H {
		return nil, errors.New("it does not match its hash")
	}
	if a.V != 1 {
		return nil, fmt.Errorf("it has version %d, which a later emend-hub wrote", a.V)
	}
	return a, nil
}
