package index

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/hub/chain"
)

// Workspace describes a workspace as the stream does.
type Workspace struct {
	Name       string
	State      chain.State
	Newest     time.Time // of its records
	Arrived    time.Time // when the hub got something of it last
	Policy     string    // the hash of the rules in its newest record that has one
	Repository string
	Grave      int // findings that say that somebody may have tampered with its log
}

// Workspaces returns all workspaces that ever sent something, by name. What no workspace can have sent is found under "".
func (x *Index) Workspaces(ctx context.Context) (map[string]Workspace, error) {
	out := map[string]Workspace{}
	err := x.reading(ctx, func(r *reader) error {
		return r.rows(`SELECT name, state, at, arrived, policy, repository, (SELECT count(*) FROM finding WHERE workspace = workspace.id AND grave = 1) FROM workspace WHERE name <> ''`, nil,
			func(rows *sql.Rows) error {
				var w Workspace
				var state []byte
				var at, arrived int64
				if err := rows.Scan(&w.Name, &state, &at, &arrived, &w.Policy, &w.Repository, &w.Grave); err != nil {
					return err
				}
				w.Newest, w.Arrived = time.UnixMicro(at).UTC(), time.UnixMicro(arrived).UTC()
				if err := json.Unmarshal(state, &w.State); err != nil {
					return err
				}
				out[w.Name] = w
				return nil
			})
	})
	return out, err
}

// Entry returns an entry of a workspace by its transaction, or by its number with "#"; nil if there is none. Of several with one number it returns
// the one that counts: that of the newest epoch, not void.
func (x *Index) Entry(ctx context.Context, workspace, name string) (e *Entry, err error) {
	err = x.reading(ctx, func(r *reader) error {
		q, arg := "SELECT id FROM record INDEXED BY record_tx WHERE tx <> '' AND tx = ? AND workspace = (SELECT id FROM workspace WHERE name = ?) ORDER BY void, epoch DESC, id DESC LIMIT 1", any(name)
		if number, ok := strings.CutPrefix(name, "#"); ok {
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return nil
			}
			q, arg = "SELECT id FROM record WHERE seq = ? AND workspace = (SELECT id FROM workspace WHERE name = ?) ORDER BY void, epoch DESC, id DESC LIMIT 1", n
		} else if name == "" {
			return nil
		}
		var id int64
		found, err := r.row(q, []any{arg, workspace}, &id)
		if err != nil || !found {
			return err
		}
		e, err = r.entry(id, nil)
		return err
	})
	return e, err
}

// Session is one session of a workspace.
type Session struct {
	Workspace, Name, Agent, Client string
	First, Last                    time.Time
	Calls, Refused                 int
}

// Sessions returns sessions, those with the newest calls first. workspaces is as in [Query]. before is the next of the page before, or "" for the
// first; next is "" if there are no more.
func (x *Index) Sessions(ctx context.Context, workspaces []string, before string, limit int) (out []Session, next string, err error) {
	limit = orElse(limit, 50)
	only := map[string]bool{}
	for _, w := range workspaces {
		only[w] = true
	}
	at, err := parsePlace(before)
	if err != nil {
		return nil, "", err
	}
	err = x.reading(ctx, func(r *reader) error {
		for done := false; !done && next == ""; {
			n, returned := 0, at
			if err := r.rows(`SELECT (SELECT w.name FROM workspace w WHERE w.id = workspace), workspace, name, agent, client, first, last, calls, refused FROM session
				WHERE (last, workspace, name) < (?, ?, ?) ORDER BY last DESC, workspace DESC, name DESC LIMIT 500`, []any{at.last, at.workspace, at.name}, func(rows *sql.Rows) error {
				var s Session
				var first int64
				var here sessionPlace
				if err := rows.Scan(&s.Workspace, &here.workspace, &here.name, &s.Agent, &s.Client, &first, &here.last, &s.Calls, &s.Refused); err != nil {
					return err
				}
				n, at = n+1, here
				switch {
				case workspaces != nil && !only[s.Workspace] || next != "":
				case len(out) == limit:
					next = returned.String()
				default:
					s.Name, s.First, s.Last = here.name, time.UnixMicro(first).UTC(), time.UnixMicro(here.last).UTC()
					out, returned = append(out, s), here
				}
				return nil
			}); err != nil {
				return err
			}
			done = n < 500
		}
		return nil
	})
	return out, next, err
}

// sessionPlace orders the sessions of the list. Several sessions may end in the same microsecond.
type sessionPlace struct {
	last, workspace int64
	name            string
}

func (p sessionPlace) String() string { return fmt.Sprintf("%d.%d.%s", p.last, p.workspace, p.name) }

// parsePlace reads a place; "" is before all sessions.
func parsePlace(s string) (p sessionPlace, err error) {
	if s == "" {
		return sessionPlace{last: time.Now().Add(24 * time.Hour).UnixMicro()}, nil
	}
	f := strings.SplitN(s, ".", 3)
	if len(f) == 3 {
		p.name = f[2]
		if p.last, err = strconv.ParseInt(f[0], 10, 64); err == nil {
			p.workspace, err = strconv.ParseInt(f[1], 10, 64)
		}
	}
	if len(f) < 3 || err != nil {
		return p, fmt.Errorf("%q is no place in the list of sessions", s)
	}
	return p, nil
}

// Session returns one session; nil if there is none.
func (x *Index) Session(ctx context.Context, workspace, name string) (s *Session, err error) {
	err = x.reading(ctx, func(r *reader) error {
		var first, last int64
		one := Session{Workspace: workspace, Name: name}
		found, err := r.row("SELECT agent, client, first, last, calls, refused FROM session WHERE workspace = (SELECT id FROM workspace WHERE name = ?) AND name = ?",
			[]any{workspace, name}, &one.Agent, &one.Client, &first, &last, &one.Calls, &one.Refused)
		if found {
			one.First, one.Last = time.UnixMicro(first).UTC(), time.UnixMicro(last).UTC()
			s = &one
		}
		return err
	})
	return s, err
}

// Findings returns what was found in the logs, the newest first. workspaces is as in [Query]; with grave only what may be tampering.
func (x *Index) Findings(ctx context.Context, workspaces []string, grave bool, limit int) (out []chain.Finding, err error) {
	only := map[string]bool{}
	for _, w := range workspaces {
		only[w] = true
	}
	least := 0
	if grave {
		least = 1
	}
	limit = orElse(limit, 100)
	err = x.reading(ctx, func(r *reader) error {
		return r.rows("SELECT finding FROM finding WHERE grave >= ? ORDER BY id DESC LIMIT 10000", []any{least}, func(rows *sql.Rows) error {
			var text []byte
			var f chain.Finding
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if err := json.Unmarshal(text, &f); err != nil {
				return err
			}
			if len(out) < limit && (workspaces == nil || only[f.Workspace]) {
				out = append(out, f)
			}
			return nil
		})
	})
	return out, err
}

// Hour counts the calls of an hour.
type Hour struct {
	At            time.Time
	Done, Refused int
}

// Hours returns the hours from since on in which calls were made, the oldest first. workspaces is as in [Query].
func (x *Index) Hours(ctx context.Context, workspaces []string, since time.Time) (out []Hour, err error) {
	only := map[string]bool{}
	for _, w := range workspaces {
		only[w] = true
	}
	err = x.reading(ctx, func(r *reader) error {
		add := func(hour int64, done, refused int) {
			at := time.Unix(hour*3600, 0).UTC()
			if n := len(out); n == 0 || !out[n-1].At.Equal(at) {
				out = append(out, Hour{At: at})
			}
			h := &out[len(out)-1]
			h.Done, h.Refused = h.Done+done, h.Refused+refused
		}
		q := "SELECT hour, '', sum(done), sum(refused) FROM hours WHERE hour >= ? GROUP BY hour ORDER BY hour"
		if workspaces != nil {
			q = "SELECT hour, (SELECT name FROM workspace WHERE id = workspace), done, refused FROM hours WHERE hour >= ? ORDER BY hour"
		}
		return r.rows(q, []any{since.Unix() / 3600}, func(rows *sql.Rows) error {
			var hour int64
			var name string
			var done, refused int
			err := rows.Scan(&hour, &name, &done, &refused)
			if workspaces == nil || only[name] {
				add(hour, done, refused)
			}
			return err
		})
	})
	return out, err
}

// Choice is a value of a filter, and how many records have it.
type Choice struct {
	Value   string
	Records int
}

// Choices returns the most frequent clients, agents or tools, for a filter.
func (x *Index) Choices(ctx context.Context, what string, limit int) (out []Choice, err error) {
	kind := map[string]string{"client": kindClient, "agent": kindAgent, "tool": kindTool, "session": kindSession, "kind": kindRecord, "mark": kindMark}[what]
	err = x.reading(ctx, func(r *reader) error {
		return r.rows("SELECT value, records FROM term WHERE kind = ? ORDER BY records DESC, value LIMIT ?", []any{kind, limit}, func(rows *sql.Rows) error {
			var c Choice
			err := rows.Scan(&c.Value, &c.Records)
			out = append(out, c)
			return err
		})
	})
	return out, err
}

// Brought says which records of one message of the stream were new, and what was found in it.
type Brought struct {
	Epochs   map[uint64]int // of the new records, by their numbers
	Findings []chain.Finding
}

// Brought returns what the message with a position brought of a workspace, of the records with the given numbers and hashes.
func (x *Index) Brought(ctx context.Context, position uint64, workspace string, hashes map[uint64]string) (*Brought, error) {
	out := &Brought{Epochs: map[uint64]int{}}
	err := x.reading(ctx, func(r *reader) error {
		var id int64
		var state []byte
		found, err := r.row("SELECT id, state FROM workspace WHERE name = ?", []any{workspace}, &id, &state)
		if err != nil {
			return err
		}
		var s chain.State
		if found {
			if err := json.Unmarshal(state, &s); err != nil {
				return err
			}
		}
		for seq, h := range hashes {
			for epoch := s.Epoch; epoch > 0; epoch-- {
				var have []byte
				found, err := r.row("SELECT h FROM chain WHERE workspace = ? AND epoch = ? AND seq = ? AND position = ?", []any{id, epoch, seq, position}, &have)
				if err != nil {
					return err
				}
				if found && hex.EncodeToString(have) == h {
					out.Epochs[seq] = epoch
					break
				}
			}
		}
		return r.rows("SELECT finding FROM finding WHERE position = ? ORDER BY id", []any{position}, func(rows *sql.Rows) error {
			var text []byte
			var f chain.Finding
			if err := rows.Scan(&text); err != nil {
				return err
			}
			out.Findings = append(out.Findings, f)
			return json.Unmarshal(text, &out.Findings[len(out.Findings)-1])
		})
	})
	return out, err
}
