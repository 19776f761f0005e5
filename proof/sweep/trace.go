package sweep

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// ErrNotHere is the error of [Trace] where a program cannot be traced: another platform, or no permission.
var ErrNotHere = errors.New("programs cannot be traced here")

// Command is a program to run.
type Command struct {
	Path  string
	Args  []string // without the program's own name
	Env   []string
	Dir   string        // where it runs
	Under string        // calls on files below this directory count
	Limit time.Duration // after this time the program hangs and is killed; 0 is a minute
}

// Call is one system call that changes files, as it was begun.
type Call struct {
	Name string
	Path string // below Command.Under: what is changed, the source of a rename or link
	To   string // the second name of a rename or link
	Made bool   // it returned, and not with an error of ours
	Err  syscall.Errno
}

func (c Call) String() string {
	s := c.Name + " " + c.Path
	if c.To != "" {
		s += " -> " + c.To
	}
	if c.Err != 0 {
		s += fmt.Sprintf(" (%v)", c.Err)
	}
	return s
}

// Do is what happens at a call.
type Do uint8

// What may happen at a call.
const (
	KillBefore Do = iota + 1 // the program ends; the call has no effect
	KillAfter                // the program ends when the call has had its effect
	Fail                     // the call has no effect and returns an error
	FailAfter                // the call has its effect and returns an error all the same
	Meanwhile                // something else happens, then the call
)

func (d Do) String() string {
	return [...]string{"nothing", "kill before", "kill after", "fail", "fail after", "meanwhile"}[d]
}

// Fault is something that happens at one call.
type Fault struct {
	At      int // the number of the call, from 1
	Do      Do
	Errno   syscall.Errno // for Fail and FailAfter
	Forever bool          // Fail: every later call fails too
	Run     func()        // Meanwhile: runs while the calling thread is stopped
}

// Result is how a program ended.
type Result struct {
	Calls   []Call // in the order in which they began
	Fired   int    // how many faults came to pass
	Exit    int    // the exit code, -1 when a signal ended it
	Signal  syscall.Signal
	Killed  bool // by a fault
	Hung    bool // by the time limit
	Out     string
	ErrText string
}
