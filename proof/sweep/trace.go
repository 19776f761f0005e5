package sweep

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// ErrNotHere is the error of [Trace] where programs cannot be traced: on another platform, or without permission.
var ErrNotHere = errors.New("programs cannot be traced here")

// Command is a program to run.
type Command struct {
	Path  string
	Args  []string // without the program's name
	Env   []string
	Dir   string        // working directory
	Under string        // calls on files below this directory count
	Limit time.Duration // after this time the program is killed; 0 is a minute
}

// Call is one system call that changes files.
type Call struct {
	Name string
	Path string // below Command.Under: what is changed, or the source of a rename or link
	To   string // second name of a rename or link
	Made bool   // it returned, and not with an injected error
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

// Do is a kind of fault.
type Do uint8

// The kinds of faults.
const (
	KillBefore Do = iota + 1 // the program is killed; the call has no effect
	KillAfter                // the program is killed after the call has taken effect
	Fail                     // the call has no effect and returns an error
	FailAfter                // the call takes effect, and returns an error nevertheless
	Meanwhile                // something else happens, then the call
)

func (d Do) String() string {
	return [...]string{"nothing", "kill before", "kill after", "fail", "fail after", "meanwhile"}[d]
}

// Fault happens at one call.
type Fault struct {
	At      int // number of the call, from 1
	Do      Do
	Errno   syscall.Errno // for Fail and FailAfter
	Forever bool          // Fail: every later call fails too
	Run     func()        // Meanwhile: runs while the calling thread is stopped
}

// Result is the end of a program.
type Result struct {
	Calls   []Call // in the order in which they began
	Fired   int    // number of faults that happened
	Exit    int    // exit code; -1 after a signal
	Signal  syscall.Signal
	Killed  bool // by a fault
	Hung    bool // by the time limit
	Out     string
	ErrText string
}
