// Package wait is the board on which a call asks a person who has a page open, and on which the page answers: files in a
// directory of the store. The two are processes of one user, who know nothing else of each other. It decides nothing: what is
// asked about and what becomes of an answer is for the workspace.
//
// Each file is written under another name, whole, and then renamed: who finds it can read it. Its first word is its kind.
//
//	ID.ask     a question: who asks what, and until when. Its asker has it locked until it goes.
//	ID.answer  what became of it. Whoever gives the name to a file first decides: a person with yes or no, the asker when it
//	           waits no longer. It stays for a minute, so that who was slower hears that it was.
//	ID.page    a page that somebody has open, and what tree it shows. Its process has it locked.
//	ID.new     what is on its way to one of these names.
//
// A lock ends with its process, however that ends: a question that nobody has locked is of a server that was killed, and is
// not shown; a page that nobody has locked is not open. Both are removed by whoever meets them. An asker looks for its answer
// every 25 ms, and every second whether a page is open still; nobody else polls. Nothing is synced: after a power cut nobody
// waits any more.
//
// An answer names the digest of the question that was shown. The asker takes no other, and of what it cannot read it makes a
// no. That keeps a mistake out, not an adversary: who can write here can edit the policy as well.
package wait

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// What is too much.
const (
	MaxQuestions = 64      // that wait at once; a few more when several servers ask in one instant
	MaxPaths     = 1000    // of a question
	maxAnswers   = 1000    // that are kept: whoever asks so often asks nobody
	maxFile      = 8 << 20 // bytes of a question
	maxAnswer    = 1 << 16 // bytes of any other file
)

const (
	lookEvery  = 25 * time.Millisecond // for an answer
	pagesEvery = time.Second           // whether a page is open
	kept       = time.Minute           // an answer, and what a dead process had not finished
)

// The kinds of files.
const (
	askKind    = ".ask"
	answerKind = ".answer"
	pageKind   = ".page"
	newKind    = ".new"
)

// Question is a call that waits.
type Question struct {
	ID       string        `json:"id"`
	Since    time.Time     `json:"since"`
	Deadline time.Time     `json:"deadline"`
	Prefix   string        `json:"prefix"` // from the top of the tree to the root of the workspace that asks; "." for none
	Root     string        `json:"root"`   // of that workspace, to be shown
	Actor    audit.Actor   `json:"actor"`
	Paths    []guard.Asked `json:"paths"`
	Diff     string        `json:"diff"`
	Digest   string        `json:"digest"`
}

// Answer is what became of a question.
type Answer struct {
	ID        string `json:"id"`
	Digest    string `json:"digest"` // of the question that it answers
	Allowed   bool   `json:"allowed"`
	Session   bool   `json:"session,omitempty"` // and what the same rules ask about, for the rest of the session
	Reason    string `json:"reason,omitempty"`  // of a no
	By        string `json:"by"`                // where the person answered
	Withdrawn bool   `json:"withdrawn,omitempty"`
}

// Why there is no answer.
var (
	ErrNoPage   = errors.New("no page is open")
	ErrLeft     = errors.New("the page was closed")
	ErrLate     = errors.New("nobody answered in time")
	ErrFull     = errors.New("too many questions wait")
	ErrTooLong  = errors.New("the question is too long")
	ErrGarbled  = errors.New("the answer cannot be read")
	ErrNone     = errors.New("no such question waits")
	ErrAnswered = errors.New("it is answered already")

	ErrNoSession = errors.New("it belongs to no session")
)

// Board is the directory of one store. It may be used by several goroutines at once.
type Board struct {
	dir  vfs.Dir
	hang sync.Mutex // held while questions are counted and one is added

	mu    sync.Mutex
	pages map[string]vfs.File // that this process has open, by name
}

// Open is the board in dir, which it takes over.
func Open(dir vfs.Dir) *Board { return &Board{dir: dir, pages: map[string]vfs.File{}} }

// Close ends every page, and lets go of the directory. Questions in hand must have ended.
func (b *Board) Close() error {
	for name := range b.open() {
		b.leave(name)
	}
	return b.dir.Close()
}

func (b *Board) open() map[string]vfs.File {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.pages)
}

// newID is a name that nobody has: it is no secret.
func newID(of string) string { return of + strings.ToLower(rand.Text()[:idLength]) }

const idLength = 11

// isID reports whether a caller's word can be the ID of a question.
func isID(id string) bool {
	return len(id) == 1+idLength && id[0] == 'q' && strings.Trim(id[1:], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// covers reports whether who looks at the tree below page sees what happens below asks.
func covers(page, asks string) bool {
	return page == "." || page == asks || strings.HasPrefix(asks, page+"/")
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
