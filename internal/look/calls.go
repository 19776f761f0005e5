package look

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// calls is what is known of those who change the tree without emend: which calls are under way, and which turn a session is in.
//
// A change lies between two looks, and belongs to a call that was under way then. If there was one, it is that call's. If there
// were several, it is the one's that says it changes this file, else the one's that ends with this look, else the oldest one's; the
// others are named. If there was none, nobody knows whose it is: a person's, or that of a program which a call left behind.
//
//	| what comes                                   | what is made of it                                                    |
//	|----------------------------------------------|-----------------------------------------------------------------------|
//	| before, after                                | the call's                                                            |
//	| before, and never an after                   | what is seen at the next look is still the call's; the end of the     |
//	|                                              | turn, the next prompt or the end of the session end the call          |
//	| an after without a before                    | the call's: it began at the last look                                 |
//	| calls that overlap                           | as above                                                              |
//	| after, "still running"                       | the call stays under way, until its session ends or a second after    |
//	| changes without a call, in a session         | recorded as nobody's                                                  |
//	| an event that cannot be read                 | as without an event, and recorded as nobody's also without a session  |
//	| changes without a call, and the look is quiet| not recorded: a person worked while no agent did                      |
type calls struct {
	Open     []openCall `json:"open,omitempty"`
	Same     *sameIndex `json:"same,omitempty"`
	sessions workspace.Sessions
}

type openCall struct {
	Actor   api.Actor `json:"actor"`
	Command string    `json:"command,omitempty"`
	Paths   []string  `json:"paths,omitempty"`
	Since   time.Time `json:"since"`
	Stays   bool      `json:"stays,omitempty"` // it goes on although its end was reported
}

const (
	callsName = "calls"
	newCalls  = "calls.new"
	// maxCalls limits the calls that are remembered: those whose end never comes are forgotten, the oldest first.
	maxCalls = 256
	// maxAge is how long a call counts whose end was not reported.
	maxAge = 7 * 24 * time.Hour
)

// loadCalls reads what an earlier look knew. What cannot be read is nothing.
func loadCalls(dir vfs.Dir, now time.Time) (*calls, error) {
	c := &calls{}
	b, err := readAll(dir, callsName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && json.Unmarshal(b, c) != nil {
		c = &calls{}
	}
	c.sessions = workspace.LoadSessions(dir)
	c.Open = slices.DeleteFunc(c.Open, func(o openCall) bool { return now.Sub(o.Since) > maxAge })
	return c, nil
}

func (c *calls) save(dir vfs.Dir) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := vfs.ReplaceFile(dir, newCalls, callsName, b); err != nil {
		return err
	}
	return c.sessions.Save(dir)
}

func readAll(dir vfs.Dir, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// is reports whether a call is the one that the actor names.
func (o *openCall) is(a api.Actor) bool {
	return o.Actor.Session == a.Session && o.Actor.Call == a.Call && (a.Call != "" || o.Actor.Tool == a.Tool)
}

// may reports whether a call may have changed a path.
func (o *openCall) may(path string) bool {
	return len(o.Paths) == 0 || slices.ContainsFunc(o.Paths, func(p string) bool { return p == path || strings.HasPrefix(path, p+"/") })
}

// describe names a call for a person.
func (o *openCall) describe() string {
	out := o.Actor.Tool
	if o.Actor.Session != "" {
		out += " of session " + o.Actor.Session
	}
	if o.Command != "" {
		out += ": " + shorten(o.Command, 80)
	}
	return out
}

func shorten(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}

// maker is who made some changes.
type maker struct {
	call   *openCall // nil if nobody knows
	others []string
}

// makerOf works out whose a change to paths is. ends is the call that ends with this look, or nil.
func (c *calls) makerOf(ends *openCall, paths ...string) maker {
	var best *openCall
	var others []string
	rank := func(o *openCall) int {
		switch {
		case len(o.Paths) > 0:
			return 2
		case o == ends:
			return 1
		}
		return 0
	}
	var able []*openCall
	for i := range c.Open {
		o := &c.Open[i]
		if !slices.ContainsFunc(paths, func(p string) bool { return !o.may(p) }) {
			able = append(able, o)
			if best == nil || rank(o) > rank(best) {
				best = o
			}
		}
	}
	for _, o := range able {
		if o != best {
			others = append(others, o.describe())
		}
	}
	if best != nil && best.Stays {
		others = append(others, "somebody else, since it runs in the background")
	}
	return maker{best, others}
}

// begin notes that a call is under way.
func (c *calls) begin(o openCall) {
	c.end(o.Actor)
	c.Open = append(c.Open, o)
	c.Open = c.Open[max(0, len(c.Open)-maxCalls):]
}

// find returns the call that the actor names, nil if it did not begin.
func (c *calls) find(a api.Actor) *openCall {
	for i := range c.Open {
		if c.Open[i].is(a) {
			return &c.Open[i]
		}
	}
	return nil
}

func (c *calls) end(a api.Actor) {
	c.Open = slices.DeleteFunc(c.Open, func(o openCall) bool { return o.is(a) })
}

// endTurn ends the calls of a session, but for those that go on.
func (c *calls) endTurn(session string) {
	c.Open = slices.DeleteFunc(c.Open, func(o openCall) bool { return o.Actor.Session == session && !o.Stays })
}

// endSession forgets a session.
func (c *calls) endSession(session string) {
	c.Open = slices.DeleteFunc(c.Open, func(o openCall) bool { return o.Actor.Session == session })
	delete(c.sessions, session)
}
