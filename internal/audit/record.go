package audit

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
)

// version is the version of the records. A log with a record of a later version can only be read and written by a later
// emend.
const version = 1

// dropVersion is the version of drop records: an emend that does not know them would take what they say for damage.
const dropVersion = 2

// groupVersion is the version of records with a Group: an emend that does not know groups would recover only the last
// transaction of one.
const groupVersion = 3

// dirVersion is the version of commits that move whole directories: an emend that does not know these steps could neither finish
// them nor take them back.
const dirVersion = 4

// versionOf returns the version of a record.
func versionOf(r *Record) int {
	switch {
	case slices.ContainsFunc(r.Acts, func(a Act) bool { return a.WholeDir() }):
		return dirVersion
	case r.Kind == Drop:
		return dropVersion
	case r.Group > 0:
		return groupVersion
	}
	return version
}

// Kind is what a record reports.
type Kind string

// The kinds of records.
const (
	Commit    Kind = "commit"    // the commit point of a transaction: what it will do
	Undo      Kind = "undo"      // the commit point of a transaction that takes others back
	Applied   Kind = "applied"   // the transaction is in the tree
	Abort     Kind = "abort"     // the transaction was taken back by the process that made it
	Recovered Kind = "recovered" // a later process ended the transaction: finished it if OK, else took it back
	Denied    Kind = "denied"    // a call that the guard refused
	Failed    Kind = "failed"    // a call that failed before its commit
	Purge     Kind = "purge"     // content was removed from the history; neither a commit point nor an end
	Rotate    Kind = "rotate"    // the first record of each segment, written by the log itself
	Drop      Kind = "drop"      // old segments were dropped by rule, written by the log itself
)

// isCommit reports whether the kind is a commit point.
func (k Kind) isCommit() bool { return k == Commit || k == Undo }

// isEnd reports whether the kind says how a transaction ended.
func (k Kind) isEnd() bool { return k == Applied || k == Abort || k == Recovered }

// leavesNonePending reports whether no transaction is open after r, if before says whether none was open before it.
func (r *Record) leavesNonePending(before bool) bool {
	return r.endsAll() || before && !r.Kind.isCommit()
}

// endsAll reports whether r is the end of the last transaction that was open.
func (r *Record) endsAll() bool { return r.Kind.isEnd() && r.Group <= 1 }

// groupEnd returns the number of the last record of r's group; that of r itself, if r has none.
func (r *Record) groupEnd() uint64 { return r.Seq + uint64(r.Group) }

// Record is one line of the log. The order of the fields is the order on disk.
type Record struct {
	V    int       `json:"v"`
	Seq  uint64    `json:"seq"`
	TS   time.Time `json:"ts"`
	Prev string    `json:"prev"`
	Kind Kind      `json:"kind"`
	// Group is for transactions that are committed with one sync, 0 for one that is committed alone. In a commit it is how
	// many commits of the group follow, one after the other. In an end it is how many transactions of the group had no end
	// before it. In a rotate record that declares records void it is how many beside the first.
	Group int `json:"group,omitempty"`

	Tx         string `json:"tx,omitempty"`
	Idem       string `json:"idem,omitempty"`    // the caller's idempotency key
	Request    string `json:"request,omitempty"` // sha256 of the patch text, to refuse a key that is used again for another call
	Dialect    string `json:"dialect,omitempty"` // of a patch: how its text was written
	Actor      Actor  `json:"actor,omitzero"`
	PolicyHash string `json:"policyHash,omitempty"`
	Ops        []Op   `json:"ops,omitempty"`
	Acts       []Act  `json:"acts,omitempty"`
	OK         bool   `json:"ok"`
	ErrorKind  string `json:"errorKind,omitempty"`
	Message    string `json:"message,omitempty"`

	// Asked says who approved the commit, if a policy wanted somebody to be asked.
	Asked *Asked `json:"asked,omitempty"`

	// Seen, in a commit, says that emend did not make the change but saw it. It was in the tree before the record was written.
	Seen *Seen `json:"seen,omitempty"`

	// Undoes names the entries of the log that an undo takes back.
	Undoes []string `json:"undoes,omitempty"`
	// Parts are the pieces that an undo takes back of entries of which it does not take back all that is in effect.
	Parts []Part `json:"parts,omitempty"`

	// Void, in a rotate record, is the hash of a record of the segment before that counts as never written.
	Void string `json:"void,omitempty"`
	// Since, in a rotate record after a failed sync, is the last record known to be on disk, as [Head.String] formats
	// it. Later records of the segment before may be missing after a power cut.
	Since string `json:"since,omitempty"`

	// Dropped, in a drop record, says which segments leave the log, and why.
	Dropped *Dropped `json:"dropped,omitempty"`

	H string `json:"h"`
}

// Part names what an undo takes back of one file of an entry: some hunks of its diff, or all that was done to it.
type Part struct {
	Entry string `json:"entry"`
	Path  string `json:"path"`            // as the first operation on the file has it
	Hunks []int  `json:"hunks,omitempty"` // their numbers in the diff, from 1; none for all that was done to the file
	Of    int    `json:"of,omitempty"`    // how many hunks the diff has
	Files int    `json:"files"`           // how many files the entry changed
}

// TakesBack returns the entries that r takes back, entirely or in part.
func (r *Record) TakesBack() []string {
	if len(r.Parts) == 0 {
		return r.Undoes
	}
	out := slices.Clone(r.Undoes)
	for _, p := range r.Parts {
		if !slices.Contains(out, p.Entry) {
			out = append(out, p.Entry)
		}
	}
	return out
}

// Dropped describes segments that were dropped by rule. A crash may leave some of them.
type Dropped struct {
	From  int       `json:"from"` // numbers of the segments
	To    int       `json:"to"`
	First uint64    `json:"first"` // number of their first record
	Last  string    `json:"last"`  // their last record, as [Head.String] formats it
	Until time.Time `json:"until"` // when the segment after them began
	Rule  string    `json:"rule"`
}

// Head returns the last record of the dropped segments, zero if the record does not say.
func (d *Dropped) Head() Head {
	if d == nil {
		return Head{}
	}
	h, err := ParseHead(d.Last)
	if err != nil {
		return Head{}
	}
	return h
}

// Actor is who asked.
type Actor = api.Actor

// Asked says that somebody was asked, and said yes.
type Asked struct {
	By    string   `json:"by"` // how they were asked
	Paths []string `json:"paths"`
}

// Seen is what is known of a change that emend saw.
type Seen = api.Seen

// Between is the tool of a commit that emend saw and that no call made which it knows of.
const Between = "between calls"

// Nobodys reports whether nobody knows who made the change: perhaps a person.
func (r *Record) Nobodys() bool { return r.Seen != nil && r.Actor.Tool == Between }

// Op is one change as a reader of the log understands it.
type Op struct {
	Operation string      `json:"operation"`
	Path      string      `json:"path"`
	ToPath    string      `json:"toPath,omitempty"`
	Before    string      `json:"beforeSha256,omitempty"`
	After     string      `json:"afterSha256,omitempty"`
	Mode      fs.FileMode `json:"mode,omitempty"`
	Size      int64       `json:"size,omitempty"`
	Files     int         `json:"files,omitempty"`     // of a directory that counts as one change: how many files changed in it; Size is their size
	Hunks     []Hunk      `json:"hunks,omitempty"`     // of a patch or of text edits, in order
	HunksMore int         `json:"hunksMore,omitempty"` // number of hunks beyond those listed
	Unasked   string      `json:"unasked,omitempty"`   // the built-in rule that wanted a person to be asked, when nobody could be
	Keys      []Key       `json:"keys,omitempty"`      // lines of the new text that look like keys
	NoUndo    string      `json:"noUndo,omitempty"`    // why an undo leaves it, or a part of it, as it is
}

// The operations on directories of which nothing else tells. Others have the words of package patch.
const (
	OpMkdir = "mkdir"
	OpRmdir = "rmdir"
)

// Key is a line that looks like a key or a token, and of what kind. In the log the two are one string, with a space between
// them.
type Key struct {
	Line int
	Kind string
}

// MarshalText returns the line and the kind.
func (k Key) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(k.Line) + " " + k.Kind), nil }

// UnmarshalText reads what MarshalText wrote. Anything else is a kind, with line 0.
func (k *Key) UnmarshalText(text []byte) error {
	line, kind, ok := strings.Cut(string(text), " ")
	n, err := strconv.Atoi(line)
	if !ok || err != nil {
		n, kind = 0, string(text)
	}
	*k = Key{n, kind}
	return nil
}

// Hunk is where a hunk was placed: the 1-based line of the text before, and the rung that matched it. In the log the
// two are one string, with a space between them.
type Hunk struct {
	Line int
	Rung string
}

func (h Hunk) String() string { return strconv.Itoa(h.Line) + " " + h.Rung }

// MarshalText returns the text that String returns.
func (h Hunk) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText wrote. Another version may write something else there, which is no damage: such
// a hunk has line 0.
func (h *Hunk) UnmarshalText(text []byte) error {
	line, rung, ok := strings.Cut(string(text), " ")
	n, err := strconv.Atoi(line)
	if !ok || err != nil {
		*h = Hunk{Rung: string(text)}
		return nil
	}
	*h = Hunk{n, rung}
	return nil
}

// Do says what a step of a commit does. A log has these words: they never change.
type Do string

// What a step does, in the order in which a commit does them. "->" is a rename, "<->" an exchange of two names.
const (
	DoMkdir   Do = "mkdir"   // makes the directory Path
	DoPutDir  Do = "putdir"  // Source -> Path, which must be free: a directory with all that is in it
	DoPut     Do = "put"     // Slot -> Path, which must be free: a new file, or one that comes back from the history
	DoMove    Do = "move"    // Path -> To, which must be free
	DoTakeDir Do = "takedir" // Path -> the store: a directory with all that is in it, which is not kept
	DoSwapDir Do = "swapdir" // Path <-> Source: a directory in place of another, which is not kept
	DoSwap    Do = "swap"    // Path <-> Slot: new content, or a file of the history, in place of the file at Path
	DoTake    Do = "take"    // Path -> Slot: a deletion
	DoRmdir   Do = "rmdir"   // removes the directory Path, if it is empty
)

// WholeDir reports whether the step moves a directory with all that is in it.
func (a *Act) WholeDir() bool { return a.Do == DoPutDir || a.Do == DoTakeDir || a.Do == DoSwapDir }

// Displaces reports whether the step moves a file of the tree into its slot.
func (a *Act) Displaces() bool { return a.Do == DoSwap || a.Do == DoTake }

// Places reports whether the step moves the file in its slot into the tree.
func (a *Act) Places() bool { return a.Do == DoPut || a.Do == DoSwap }

// Act is one step of a commit, with what recovery needs to know of it.
type Act struct {
	Do   Do          `json:"do"`
	Path string      `json:"path"`
	To   string      `json:"to,omitempty"`
	Slot int         `json:"slot,omitempty"`
	Old  *Ident      `json:"old,omitempty"`
	New  *Ident      `json:"new,omitempty"`
	From string      `json:"from,omitempty"` // put, swap: the slot of an earlier transaction from which New comes
	Gone bool        `json:"gone,omitempty"` // swap, take: the file that comes out is not kept
	Mode fs.FileMode `json:"mode,omitempty"` // mkdir and rmdir: permissions of the directory
	// Source, of putdir and swapdir, is a slash path in the store.
	Source string `json:"source,omitempty"`
	// Empty says of mkdir that nothing comes into the directory: recovery makes it all the same.
	Empty bool `json:"empty,omitempty"`
}

// Ident identifies a file as it was when the commit was decided.
type Ident struct {
	Ino  uint64 `json:"ino"`
	Sum  string `json:"sha256,omitempty"` // of a directory: its [vfs.DirSum]
	Size int64  `json:"size,omitempty"`
	Link bool   `json:"link,omitempty"` // a symbolic link
	// Mode is type and permissions; 0 in records of older versions.
	Mode fs.FileMode `json:"mode,omitempty"`
}

// Head names one record and, by its hash, all before it.
type Head = api.Head

// ParseHead reads what [Head.String] wrote.
func ParseHead(s string) (Head, error) {
	number, h, _ := strings.Cut(s, ":")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil || !isHash(h) {
		return Head{}, fmt.Errorf("%.100q is no head of a log: it has to be a number, a colon and 64 hex digits", s)
	}
	return Head{Seq: seq, H: h}, nil
}

func (r *Record) head() Head { return Head{Seq: r.Seq, H: r.H} }

// follows reports whether r is the record right after h.
func (r *Record) follows(h Head) bool { return r.Seq == h.Seq+1 && r.Prev == h.H }

// restarts reports whether r begins a segment that a person began after a damage.
func (r *Record) restarts() bool { return r.Kind == Rotate && !r.OK }

// lastSure returns the record after which the segment before r's may have lost records, and whether there is one.
func (r *Record) lastSure() (since Head, ok bool) {
	if r.Kind != Rotate || r.Void == "" && r.Since == "" {
		return Head{}, false
	}
	since, err := ParseHead(r.Since)
	return since, err == nil
}

func isHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}
