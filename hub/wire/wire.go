// Package wire defines what a joined workspace and a hub say to each other: subjects, messages, batches of records, signed policy
// packs and invitations. It holds values and their encodings, and does no I/O.
package wire

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/api"
)

// Version is the version of the messages. A reader refuses a higher one.
const Version = 1

// The streams and buckets of a hub.
const (
	Records   = "EMEND_RECORDS"   // stream: batches of records, one subject for each workspace
	Extras    = "EMEND_EXTRAS"    // stream: diffs and contents, as far as a workspace sends them; each subject is written once
	Fleet     = "emend_fleet"     // bucket: members and invitations
	Presences = "emend_presence"  // bucket: what each workspace says of itself; in memory
	Questions = "emend_questions" // bucket: calls that wait for a person
)

// RecordsSubject returns the subject on which a workspace publishes its batches.
func RecordsSubject(ws string) string { return "emend.records." + ws }

// DiffsSubject returns the subject on which a workspace publishes the diffs of one record. An empty seq stands for all of them.
func DiffsSubject(ws, seq string) string { return "emend.diffs." + ws + "." + orAny(seq) }

// ContentSubject returns the subject on which a workspace publishes one part of a content, which its sha256 names.
func ContentSubject(ws, sha256, part string) string {
	return "emend.contents." + ws + "." + orAny(sha256) + "." + orAny(part)
}

// AskSubject returns the subject on which a joined workspace is asked.
func AskSubject(ws string) string { return "emend.ask." + ws }

// PresenceSubject and QuestionSubject are the keys of a workspace in the buckets.
func PresenceSubject(ws string) string { return "$KV." + Presences + "." + ws }

// QuestionSubject is the key of a waiting call; an empty id stands for all of them.
func QuestionSubject(ws, id string) string { return "$KV." + Questions + "." + ws + "." + orAny(id) }

// InboxPrefix returns the prefix of the subjects on which a workspace gets replies; no other workspace may listen there.
func InboxPrefix(ws string) string { return "_INBOX_" + ws }

func orAny(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// WorkspaceOf returns the workspace of a subject of records, diffs, contents or asks.
func WorkspaceOf(subject string) (string, error) {
	f := strings.Split(subject, ".")
	if len(f) < 3 || f[0] != "emend" || !IsWorkspace(f[2]) {
		return "", fmt.Errorf("subject %q names no workspace", subject)
	}
	return f[2], nil
}

// IsWorkspace reports whether id can be a workspace's: the public part of its key.
// It has one spelling: the decoder of keys also takes what is longer, and line feeds.
func IsWorkspace(id string) bool {
	return len(id) == 56 && !strings.ContainsAny(id, "\r\n") && nkeys.IsValidPublicUserKey(id)
}

// NewID returns a random id of 32 hexadecimal digits.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Ship says what a workspace sends.
type Ship string

// Each includes those before it. Files that may not be read, and those with lines that look like keys, are in none of them beyond
// their record.
const (
	ShipRecords  Ship = "records"
	ShipDiffs    Ship = "diffs"
	ShipContents Ship = "contents"
)

// ParseShip reads a Ship.
func ParseShip(s string) (Ship, error) {
	switch Ship(s) {
	case ShipRecords, ShipDiffs, ShipContents:
		return Ship(s), nil
	}
	return "", fmt.Errorf("%q is not one of records, diffs, contents", s)
}

// Diffs reports whether diffs are sent.
func (s Ship) Diffs() bool { return s == ShipDiffs || s == ShipContents }

// Allow is the set of what a hub may ask of a workspace, as its owner said.
type Allow struct {
	Undo    bool `json:"undo,omitempty"`
	Approve bool `json:"approve,omitempty"`
	Policy  bool `json:"policy,omitempty"`
	Stop    bool `json:"stop,omitempty"`
}

// ParseAllow reads a list such as undo,approve,policy,stop. The empty list allows nothing.
func ParseAllow(s string) (a Allow, err error) {
	for word := range strings.SplitSeq(s, ",") {
		switch strings.TrimSpace(word) {
		case "", "none":
		case "undo":
			a.Undo = true
		case "approve":
			a.Approve = true
		case "policy":
			a.Policy = true
		case "stop":
			a.Stop = true
		default:
			return a, fmt.Errorf("%q is not one of undo, approve, policy, stop, none", word)
		}
	}
	return a, nil
}

func (a Allow) String() string {
	var words []string
	for _, w := range []struct {
		on   bool
		name string
	}{{a.Undo, "undo"}, {a.Approve, "approve"}, {a.Policy, "policy"}, {a.Stop, "stop"}} {
		if w.on {
			words = append(words, w.name)
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ",")
}

// Presence is sent by a joined workspace when it joins, when something changes, and every PresenceEvery.
type Presence struct {
	V         int           `json:"v"`
	Workspace string        `json:"workspace"`
	At        time.Time     `json:"at"`
	Started   time.Time     `json:"started"`        // the joined process
	Left      bool          `json:"left,omitempty"` // the joined process ended in order
	Root      string        `json:"root"`
	Host      string        `json:"host"`
	Emend     string        `json:"emend"` // version
	Ship      Ship          `json:"ship"`
	Allow     Allow         `json:"allow"`
	Head      api.Head      `json:"head"`                // the newest record of the local log
	Shipped   api.Head      `json:"shipped"`             // the newest record that the hub acknowledged
	Stream    uint64        `json:"stream"`              // the message of the stream of records that has it
	Pack      *PackName     `json:"pack,omitempty"`      // the policy pack that is installed
	PackError string        `json:"packError,omitempty"` // why the last pack was refused
	Policy    string        `json:"policyHash"`          // of the rules that new calls are under
	Frozen    *api.Frozen   `json:"frozen,omitempty"`
	Waiting   int           `json:"waiting"`           // calls that wait for a person
	Problem   string        `json:"problem,omitempty"` // what keeps it from reading its log or from shipping
	Lost      *api.Head     `json:"lost,omitempty"`    // a record that the hub has and that the local log does not
	Every     time.Duration `json:"every"`             // when to expect the next one
}

// PresenceEvery is the interval at which a joined workspace announces itself when nothing changes.
const PresenceEvery = 15 * time.Second

// Away reports whether a workspace has been silent for so long that it is not there.
func (p Presence) Away(now time.Time) bool {
	return p.Left || now.Sub(p.At) > 3*max(p.Every, time.Second)
}

// Behind returns the number of records of the local log that the hub has not acknowledged.
func (p Presence) Behind() uint64 {
	if p.Head.Seq < p.Shipped.Seq {
		return 0
	}
	return p.Head.Seq - p.Shipped.Seq
}

// Question is a call that waits for a person. Its Diff is empty if the workspace sends records only.
type Question struct {
	V          int             `json:"v"`
	Workspace  string          `json:"workspace"`
	ID         string          `json:"id"`
	Since      time.Time       `json:"since"`
	Deadline   time.Time       `json:"deadline"`
	Root       string          `json:"root"`
	Below      string          `json:"below,omitempty"`
	Actor      api.Actor       `json:"actor"`
	Paths      []api.AskedPath `json:"paths"`
	Diff       string          `json:"diff,omitempty"`
	NotShown   string          `json:"notShown,omitempty"` // why there is no diff
	Digest     string          `json:"digest"`
	ForSession bool            `json:"forSession,omitempty"`
	PageOnly   bool            `json:"pageOnly,omitempty"` // the workspace's policy takes no answer of a hub
}

// Member is a workspace that joined, as the hub keeps it.
type Member struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Labels  []string   `json:"labels,omitempty"`
	Joined  time.Time  `json:"joined"`
	Invite  string     `json:"invite,omitempty"` // the name of the invitation that it came with
	Revoked *time.Time `json:"revoked,omitempty"`
	Why     string     `json:"why,omitempty"`
}

// Diffs are the diffs of one record.
type Diffs struct {
	V     int        `json:"v"`
	Seq   uint64     `json:"seq"`
	H     string     `json:"h"` // of the record
	Entry string     `json:"entry"`
	Files []FileDiff `json:"files"`
}

// FileDiff is the diff of one file, or why there is none.
type FileDiff struct {
	Path     string `json:"path"`
	ToPath   string `json:"toPath,omitempty"`
	Diff     string `json:"diff,omitempty"`
	NotShown string `json:"notShown,omitempty"`
}
