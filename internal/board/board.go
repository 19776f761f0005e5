// Package board lets a call ask a person who has a page open, and lets that page answer. Questions and answers are files in a
// directory of the store. The call and the page run in two processes of one user that share nothing else. The package does not
// decide what to ask about, nor what an answer permits: the workspace does.
//
// Every file is written whole under another name and then renamed, so whoever finds a file can read it. Its suffix is its kind.
//
//	ID.ask     A question: who asks what, and until when. The asking process holds a lock on it until it removes it.
//	ID.answer  The outcome. The first file to get this name decides: a person's yes or no, or the asker's withdrawal when it
//	           stops waiting. It is kept for a minute, so that a second answer is told that it came too late.
//	ID.page    A page that somebody has open, and the tree that it shows. Its process holds a lock on it.
//	ID.new     A file that is about to be renamed to one of these names.
//
// A lock ends with its process, however the process ends. So a question without a lock belongs to a server that was killed and
// is not shown, and a page without a lock is not open. Whoever meets such a file removes it. An asker looks for its answer every
// 25 ms and checks once a second that a page is still open; nothing else polls. Nothing is synced: after a power cut nobody
// waits any more.
//
// An answer carries the digest of the question that was shown, and says where it was given. The asker accepts no other answer
// and takes one that it cannot read for a no. This guards against mistakes, not against an adversary: a process of the same
// account can write an answer here that says anything, and could edit the policy file just as well.
package board

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// Limits of the board.
const (
	MaxQuestions = 64      // questions at once; a few more when several servers ask in the same instant
	MaxPaths     = 1000    // paths in a question
	maxAnswers   = 1000    // kept answers: nobody reads questions that come this often
	maxFile      = 8 << 20 // bytes in a question
	maxAnswer    = 1 << 16 // bytes in any other file
)

const (
	answerPoll = 25 * time.Millisecond // for an answer
	pagePoll   = time.Second           // whether a page is open
	keepFor    = time.Minute           // an answer, and what a dead process had not finished
)

// The kinds of files.
const (
	askKind    = ".ask"
	answerKind = ".answer"
	pageKind   = ".page"
	newKind    = ".new"
)

// Question is a call that waits for an answer.
type Question struct {
	ID       string          `json:"id"`
	Since    time.Time       `json:"since"`
	Deadline time.Time       `json:"deadline"`
	Prefix   string          `json:"prefix"` // path from the top of the tree to the root of the asking workspace; "." if they are the same
	Root     string          `json:"root"`   // that workspace's root, for display
	Actor    audit.Actor     `json:"actor"`
	Paths    []api.AskedPath `json:"paths"`
	Diff     string          `json:"diff"`
	Digest   string          `json:"digest"`

	ForSession bool `json:"forSession,omitempty"` // a yes may hold for the rest of the session
	PageOnly   bool `json:"pageOnly,omitempty"`   // only a page may answer
}

// Answer is the outcome of a question.
type Answer struct {
	ID        string `json:"id"`
	Digest    string `json:"digest"` // digest of the question that it answers
	Allowed   bool   `json:"allowed"`
	Session   bool   `json:"session,omitempty"` // the yes covers whatever the same rules ask about for the rest of the session
	Reason    string `json:"reason,omitempty"`  // the reason for a no
	By        string `json:"by"`                // where the person answered
	Withdrawn bool   `json:"withdrawn,omitempty"`
}

// Reasons why a question gets no answer, or an answer is not accepted.
var (
	ErrNoPage     = errors.New("no page is open")
	ErrPageClosed = errors.New("the page was closed")
	ErrTimeout    = errors.New("nobody answered in time")
	ErrFull       = errors.New("too many questions wait")
	ErrTooLong    = errors.New("the question is too long")
	ErrUnreadable = errors.New("the answer cannot be read")
	ErrNotWaiting = errors.New("no such question waits")
	ErrAnswered   = errors.New("it is answered already")

	ErrNoSession = errors.New("it belongs to no session")
	ErrPageOnly  = errors.New("only a page may answer it")
)

// Board is the board of one store. Several goroutines may use it at once.
type Board struct {
	dir   vfs.Dir
	addMu sync.Mutex // held while a question is counted against the limit and added

	mu    sync.Mutex
	pages map[string]vfs.File // the pages that this process has open, by file name
}

// Open returns the board in dir, and takes dir over.
func Open(dir vfs.Dir) *Board { return &Board{dir: dir, pages: map[string]vfs.File{}} }

// newID returns an unused name that starts with a kind's letter. It is not a secret.
func newID(letter string) string { return letter + strings.ToLower(rand.Text()[:idLength]) }

const idLength = 11

// IsID reports whether id, which a caller sent, has the form of a question's ID.
func IsID(id string) bool {
	return len(id) == 1+idLength && id[0] == 'q' && strings.Trim(id[1:], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// covers reports whether a page that shows the tree below page also shows what happens below asker.
func covers(page, asker string) bool {
	return page == "." || page == asker || strings.HasPrefix(asker, page+"/")
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
