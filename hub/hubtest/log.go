// Package hubtest makes logs of workspaces that do not exist, for tests and benchmarks of the hub.
package hubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/wire"
)

// Log is the log of a workspace that grows record by record, each continuing the one before it.
type Log struct {
	Workspace string
	Key       nkeys.KeyPair
	Head      api.Head
}

// NewLog returns an empty log of a workspace with a new key.
func NewLog() *Log {
	pair, err := nkeys.CreateUser()
	if err != nil {
		panic(err)
	}
	id, err := pair.PublicKey()
	if err != nil {
		panic(err)
	}
	return &Log{Workspace: id, Key: pair}
}

// LogOf returns an empty log of a workspace that joined.
func LogOf(m *wire.Membership) *Log {
	pair, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		panic(err)
	}
	return &Log{Workspace: m.Joined.Workspace, Key: pair}
}

// Add adds a record and returns its line.
func (l *Log) Add(r audit.Record) []byte {
	r.V, r.Seq, r.Prev, r.H = max(r.V, 1), l.Head.Seq+1, l.Head.H, ""
	if r.Group > 0 {
		r.V = 3
	}
	if r.TS.IsZero() {
		r.TS = time.Now().UTC()
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	body, ok := bytes.CutSuffix(text, []byte(`,"h":""}`))
	if !ok {
		panic("a record does not end with its hash")
	}
	sum := sha256.Sum256(append(bytes.Clone(body), '}'))
	l.Head = api.Head{Seq: r.Seq, H: hex.EncodeToString(sum[:])}
	return append(body, `,"h":"`+l.Head.H+`"}`...)
}

// Message returns a message of the stream with lines, as the verifier takes it. The first line continues after.
func (l *Log) Message(after api.Head, lines ...[]byte) []byte {
	b := wire.Batch{Workspace: l.Workspace, After: after, Local: l.Head}
	for _, line := range lines {
		b.Records = append(b.Records, wire.Record{Line: line})
	}
	data, err := b.Encode()
	if err != nil {
		panic(err)
	}
	return l.Seal(data)
}

// Seal signs a batch as the workspace does.
func (l *Log) Seal(batch []byte) []byte {
	data, err := wire.Seal(l.Key, wire.RecordsSubject(l.Workspace), batch)
	if err != nil {
		panic(err)
	}
	return data
}

// Verify verifies the next message with lines of the log against past.
func (l *Log) Verify(past chain.Past, stream uint64, at time.Time, after api.Head, lines ...[]byte) (*chain.Verified, error) {
	return chain.New(past).Take(stream, at, wire.RecordsSubject(l.Workspace), l.Message(after, lines...))
}

// Writer makes up what agents do: sessions of some fifty calls in a tree of two thousand files.
type Writer struct {
	*Log
	r       *rand.Rand
	n       int
	session string
	client  string
	done    []string // transactions that can be undone
}

// NewWriter returns a writer with a new log. The same seed makes up the same calls.
func NewWriter(seed uint64) *Writer {
	return &Writer{Log: NewLog(), r: rand.New(rand.NewPCG(seed, 24))}
}

var (
	clients  = []string{"claude-code/2.1.329", "codex-mcp-client/0.159.0", "gemini-cli/0.41.0", "opencode/1.9.2"}
	tools    = []string{"edit_file", "edit_file", "edit_file", "apply_patch", "write_file", "delete_file"}
	refusals = []string{"the file changed since it was read", "the old text was not found", "rule \".env\" denies writing", "3 places match (lines 40, 88, 131)"}
)

// Call adds the records of one call at a time, and returns their lines.
func (w *Writer) Call(at time.Time) (lines [][]byte) {
	if w.n%50 == 0 {
		w.session, w.client, w.done = fmt.Sprintf("s-%08x", w.r.Uint32()), clients[w.r.IntN(len(clients))], nil
	}
	w.n++
	tx := fmt.Sprintf("%s-%s", at.UTC().Format("20060102-150405"), word(w.r, 10))
	actor := api.Actor{Client: w.client, Session: w.session, Tool: tools[w.r.IntN(len(tools))], Call: fmt.Sprintf("toolu_%08x", w.r.Uint32())}
	d, f := w.r.IntN(40), w.r.IntN(50)
	op := audit.Op{Operation: "update", Path: fmt.Sprintf("src/%s/mod%02d/file%02d.go", areas[d%len(areas)], d, f), Before: w.sum(), After: w.sum()}
	policy := strings.Repeat("ab", 32)
	switch n := w.r.IntN(100); {
	case n < 12:
		kind := audit.Failed
		if n < 3 {
			kind = audit.Denied
		}
		return [][]byte{w.Add(audit.Record{TS: at, Kind: kind, Actor: actor, PolicyHash: policy, Ops: []audit.Op{op}, ErrorKind: "Stale", Message: refusals[w.r.IntN(len(refusals))]})}
	case n < 16 && len(w.done) > 0:
		actor.Tool = "undo"
		back := w.done[len(w.done)-1]
		w.done = w.done[:len(w.done)-1]
		lines = append(lines, w.Add(audit.Record{TS: at, Kind: audit.Undo, Tx: tx, Actor: actor, PolicyHash: policy, Ops: []audit.Op{op}, OK: true, Undoes: []string{back}}))
	default:
		w.done = append(w.done, tx)
		lines = append(lines, w.Add(audit.Record{TS: at, Kind: audit.Commit, Tx: tx, Actor: actor, PolicyHash: policy, Ops: []audit.Op{op}, OK: true}))
	}
	return append(lines, w.Add(audit.Record{TS: at, Kind: audit.Applied, Tx: tx, OK: true}))
}

var areas = []string{"cart", "billing", "search", "login", "mail", "report", "admin", "stock"}

func (w *Writer) sum() string {
	var b [32]byte
	for i := range b {
		b[i] = byte(w.r.Uint32())
	}
	return hex.EncodeToString(b[:])
}

func word(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz234567"[r.IntN(32)]
	}
	return string(b)
}

// HostileLines adds records in which every name is a text, and returns their lines: a change, and a refusal.
func HostileLines(l *Log, text string) [][]byte {
	actor := api.Actor{Client: text, Session: text, Agent: text, Tool: text, Call: text, Turn: text}
	ops := []audit.Op{{Operation: "update", Path: text}, {Operation: "move", Path: text, ToPath: text}}
	return [][]byte{
		l.Add(audit.Record{Kind: audit.Commit, Tx: "20260501-080000-aaaaaaaaaa", Actor: actor, Ops: ops, OK: true, Message: text, PolicyHash: text}),
		l.Add(audit.Record{Kind: audit.Failed, Actor: actor, Ops: ops, Message: text, ErrorKind: text}),
		l.Add(audit.Record{Kind: audit.Undo, Tx: "20260501-080001-aaaaaaaaaa", Actor: actor, Ops: ops, OK: true, Undoes: []string{"20260501-080000-aaaaaaaaaa", text}}),
	}
}

// Say signs a value as the workspace does, for the subject on which it is said.
func (l *Log) Say(subject string, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	data, err := wire.Seal(l.Key, subject, text)
	if err != nil {
		panic(err)
	}
	return data
}

// Take verifies a message of a log against past.
func Take(past chain.Past, stream uint64, at time.Time, l *Log, message []byte) (*chain.Verified, error) {
	return chain.New(past).Take(stream, at, wire.RecordsSubject(l.Workspace), message)
}
