package chain

import (
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// maxGaps limits the gaps of a chain that are followed at once. Further gaps are reported, and not asked for.
const maxGaps = 16

// Verifier verifies batches. It keeps nothing between two calls.
type Verifier struct{ past Past }

// New returns a verifier that goes on from past.
func New(past Past) *Verifier { return &Verifier{past} }

// Take verifies a message of the stream of records. A message that was taken before changes nothing. The error is one of the [Past]; what is wrong with the
// message is in the findings.
func (v *Verifier) Take(stream uint64, at time.Time, subject string, data []byte) (*Verified, error) {
	t := &taking{past: v.past, out: &Verified{Stream: stream, At: at}, fresh: map[place]string{}}
	ws, err := wire.WorkspaceOf(subject)
	if err != nil {
		t.find(Unreadable, 0, "", "", err.Error())
		return t.out, nil
	}
	t.out.Workspace = ws
	if t.State, err = v.past.State(ws); err != nil {
		return nil, err
	}
	if stream > t.Stream {
		t.Stream = stream
		err = t.batch(ws, data)
	}
	t.out.State = t.State
	return t.out, err
}

// taking is the work on one message.
type taking struct {
	State
	past  Past
	out   *Verified
	fresh map[place]string // the hashes of the records of this message
}

type place struct {
	epoch int
	seq   uint64
}

func (t *taking) batch(ws string, data []byte) error {
	body, err := wire.Unseal(ws, wire.RecordsSubject(ws), data)
	if err != nil {
		t.find(Unsigned, 0, "", "", "a message in the name of the workspace that its key did not sign: somebody else wrote it")
		return nil
	}
	b, err := wire.DecodeBatch(body)
	if err != nil {
		t.find(Unreadable, 0, "", "", err.Error())
		return nil
	}
	if b.Workspace != ws {
		t.find(Foreign, b.After.Seq, "", "", fmt.Sprintf("a batch in the name of workspace %q", clip(b.Workspace)))
		return nil
	}
	t.out.Local, t.out.Repository = b.Local, clip(b.Repository)
	if l := b.Lost; l != nil {
		t.find(Lost, l.Seq, clip(l.H), "", fmt.Sprintf("the workspace's log does not have record %d, which was sent: the log was cut off or replaced, or somebody else has the key", l.Seq))
	}
	for i := range b.Records {
		r, err := read(&b.Records[i])
		if err != nil {
			t.find(Altered, t.Head.Seq+1, "", "", "record "+fmt.Sprint(i+1)+" of a batch behind "+b.After.String()+": "+err.Error())
			return nil
		}
		if err := t.record(r); err != nil {
			return err
		}
	}
	return nil
}

// read checks a record against its own hash, as far as it came.
func read(r *wire.Record) (*Record, error) {
	if h := r.Header; h != nil {
		if len(h.H) != 64 || len(h.Prev) > 64 || h.Seq == 0 {
			return nil, fmt.Errorf("the header of record %d has no hash", h.Seq)
		}
		return &Record{Record: api.Record{Seq: h.Seq, At: h.At, Prev: h.Prev, Kind: clip(h.Kind), H: h.H, Withheld: true}, TooLong: h.TooLong}, nil
	}
	rec, err := emend.ParseRecord(r.Line)
	if err != nil {
		return nil, err
	}
	return &Record{Record: *rec}, nil
}

// record takes the next record of a batch.
func (t *taking) record(r *Record) error {
	next := r.Seq == t.Head.Seq+1
	switch {
	case t.Epoch == 0:
		if r.Seq > 1 {
			t.find(Dropped, r.Seq, "", r.Prev, fmt.Sprintf("the log begins with record %d: what is before it was dropped before the workspace joined", r.Seq))
		}
		t.begin(r)
	case next && r.Prev == t.Head.H:
		t.add(r)
	case next && r.Kind == rotate && !r.OK && !r.Withheld:
		t.find(Damaged, r.Seq, t.Head.H, r.Prev, fmt.Sprintf("the log was begun again with record %d after a damage", r.Seq))
		t.begin(r)
	case next:
		t.find(Forked, t.Head.Seq, t.Head.H, r.Prev, fmt.Sprintf("record %d continues another record %d than the one that was sent", r.Seq, t.Head.Seq))
		t.begin(r)
	case r.Seq > t.Head.Seq:
		t.skip(r)
	case t.fill(r):
	default:
		return t.compare(r)
	}
	t.drop(r)
	return nil
}

const rotate = "rotate"

// begin begins an epoch with r.
func (t *taking) begin(r *Record) {
	t.Epoch++
	t.First, t.Gaps = r.Seq, nil
	t.add(r)
}

// add makes r the head.
func (t *taking) add(r *Record) {
	t.Head = api.Head{Seq: r.Seq, H: r.H}
	t.keep(r)
}

func (t *taking) keep(r *Record) {
	r.Epoch = t.Epoch
	t.Records++
	if r.Withheld {
		t.Withheld++
	}
	t.fresh[place{r.Epoch, r.Seq}] = r.H
	t.out.Records = append(t.out.Records, *r)
}

// skip takes a record that does not follow the head: what is between them is missing.
func (t *taking) skip(r *Record) {
	g := Gap{After: t.Head, From: t.Head.Seq + 1, To: r.Seq - 1, Until: r.Prev}
	if r.Kind == rotate && r.Since != "" {
		t.find(Damaged, g.From, "", r.Prev, fmt.Sprintf("records %d to %d were lost by a power cut after a failed sync, as record %d says", g.From, g.To, r.Seq))
	} else {
		t.find(Missing, g.From, "", r.Prev, fmt.Sprintf("records %d to %d are missing", g.From, g.To))
		if len(t.Gaps) < maxGaps {
			t.Gaps = append(t.Gaps, g)
		}
	}
	t.add(r)
}

// fill reports whether r closes a gap, or a part of it.
func (t *taking) fill(r *Record) bool {
	for i := range t.Gaps {
		g := &t.Gaps[i]
		if r.Seq != g.From || r.Prev != g.After.H {
			continue
		}
		if r.Seq == g.To && r.H != g.Until {
			return false // it does not meet what comes behind the gap; compare tells
		}
		t.keep(r)
		if g.After, g.From = (api.Head{Seq: r.Seq, H: r.H}), r.Seq+1; g.From > g.To {
			t.find(Filled, r.Seq, "", r.H, fmt.Sprintf("the records up to %d, which were missing, arrived", r.Seq))
			t.Gaps = append(t.Gaps[:i:i], t.Gaps[i+1:]...)
		}
		return true
	}
	return false
}

// compare takes a record with a number that is not new.
func (t *taking) compare(r *Record) error {
	have, err := t.hashAt(r.Seq)
	if err != nil {
		return err
	}
	switch {
	case have == r.H:
		t.Repeated++
		return nil
	case have == "" && t.inGap(r.Seq) == nil:
		t.Repeated++ // from before what the hub has, of a log that was longer then
		return nil
	case have == "":
		g := t.inGap(r.Seq)
		have = g.After.H
		if r.Seq != g.From {
			return nil // a part of the gap that is not its next one; it is asked for again
		}
		t.find(Forked, r.Seq, have, r.H, fmt.Sprintf("record %d, which was missing, does not fit between the records around it", r.Seq))
	case r.Kind == rotate && r.Void == have:
		t.out.Void = append(t.out.Void, Void{Epoch: t.Epoch, From: r.Seq, By: r.Seq})
		t.find(Voided, r.Seq, have, r.H, fmt.Sprintf("the log declares record %d and those behind it void: their sync had failed", r.Seq))
	default:
		t.find(Forked, r.Seq, have, r.H, fmt.Sprintf("another record %d than the one that was sent: the log was rewritten, or two logs have one key", r.Seq))
	}
	t.begin(r)
	return nil
}

// hashAt returns the hash of the record with a number in the chain that counts: an epoch continues the one before it.
func (t *taking) hashAt(seq uint64) (string, error) {
	for e := t.Epoch; e > 0; e-- {
		if h, ok := t.fresh[place{e, seq}]; ok {
			return h, nil
		}
		if h, err := t.past.HashAt(t.out.Workspace, e, seq); h != "" || err != nil {
			return h, err
		}
	}
	return "", nil
}

func (t *taking) inGap(seq uint64) *Gap {
	for i := range t.Gaps {
		if g := &t.Gaps[i]; g.From <= seq && seq <= g.To {
			return g
		}
	}
	return nil
}

// drop ends the gaps that the log declares dropped by rule.
func (t *taking) drop(r *Record) {
	if r.Dropped == "" {
		return
	}
	last, err := emend.ParseHead(r.Dropped)
	if err != nil {
		return
	}
	kept := t.Gaps[:0:0]
	for _, g := range t.Gaps {
		if g.To > last.Seq {
			kept = append(kept, g)
			continue
		}
		t.find(Dropped, g.From, "", g.Until, fmt.Sprintf("records %d to %d were dropped by rule before they were sent, as record %d says", g.From, g.To, r.Seq))
	}
	t.Gaps = kept
}

// find adds a finding.
func (t *taking) find(k Kind, seq uint64, have, got, text string) {
	t.State.Findings++
	t.out.Findings = append(t.out.Findings, Finding{Workspace: t.out.Workspace, Epoch: t.Epoch, Kind: k, Seq: seq, Have: have, Got: got, At: t.out.At, Stream: t.out.Stream, Text: text})
}

// clip bounds what a message says before it is stored or shown.
func clip(s string) string {
	if len(s) > 128 {
		return s[:128] + "…"
	}
	return s
}

// Compare says what the presence of a workspace proves about its log; nil for nothing wrong. A presence from before the last message that was verified
// proves nothing.
func Compare(s State, p wire.Presence) *Finding {
	switch {
	case s.Epoch == 0 || p.Stream < s.Stream:
		return nil
	case p.Head.Seq < s.Head.Seq:
		return &Finding{Workspace: p.Workspace, Epoch: s.Epoch, Kind: Truncated, Seq: p.Head.Seq + 1, Have: s.Head.H, Got: clip(p.Head.H), At: p.At,
			Text: fmt.Sprintf("the workspace's log ends at record %d, and it had sent %d", p.Head.Seq, s.Head.Seq)}
	case p.Head.Seq == s.Head.Seq && p.Head.H != s.Head.H:
		return &Finding{Workspace: p.Workspace, Epoch: s.Epoch, Kind: Forked, Seq: p.Head.Seq, Have: s.Head.H, Got: clip(p.Head.H), At: p.At,
			Text: fmt.Sprintf("the workspace's newest record %d is another than the one that it had sent", p.Head.Seq)}
	}
	return nil
}
