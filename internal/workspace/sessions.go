package workspace

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
)

// Sessions are the sessions of agents that the hooks of their clients told of, by their names.
type Sessions map[string]Session

// Session is a session of an agent.
type Session struct {
	Client string    `json:"client,omitempty"`
	Turn   string    `json:"turn,omitempty"` // what comes of the last prompt
	Also   string    `json:"also,omitempty"` // another id of that turn, of a prompt that no person wrote
	At     time.Time `json:"at"`             // when it was heard of last
}

const (
	looksDir     = "looks"
	sessionsName = "sessions"
	newSessions  = "sessions.new"
	// maxSession is how long a session counts whose end was not reported.
	maxSession = 7 * 24 * time.Hour
)

// LoadSessions reads the sessions from the directory of looks. What cannot be read is none.
func LoadSessions(dir vfs.Dir) Sessions {
	out := Sessions{}
	f, err := dir.Open(sessionsName)
	if err != nil {
		return out
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil || json.Unmarshal(text, &out) != nil {
		return Sessions{}
	}
	for name, s := range out {
		if time.Since(s.At) > maxSession {
			delete(out, name)
		}
	}
	return out
}

// Save replaces the sessions in the directory of looks.
func (s Sessions) Save(dir vfs.Dir) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return vfs.ReplaceFile(dir, newSessions, sessionsName, text)
}

// OpenLooks opens the directory of the store that belongs to looks. If it is missing and create is set, OpenLooks makes it.
func OpenLooks(store *commit.Store, create bool) (vfs.Dir, error) {
	return store.OpenDir(looksDir, create)
}

// LooksDir returns the path of that directory, whether or not it exists.
func (w *Workspace) LooksDir() string { return filepath.Join(w.StorePlace().Dir, looksDir) }

// sessionOf returns the session that a client's hooks told of, if there is one alone: the same agent calls tools of emend then.
// A client calls itself claude-code/2.1.330 or codex-mcp-client here, and claude-code or codex there.
func (w *Workspace) sessionOf(client string) (name string, s Session, ok bool) {
	word := func(s string) string { w, _, _ := strings.Cut(s, "/"); w, _, _ = strings.Cut(w, "-"); return w }
	if client == "" || client == "cli" {
		return "", s, false
	}
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return "", s, false
	}
	dir, err := OpenLooks(store, false)
	if err != nil {
		return "", s, false
	}
	defer dir.Close()
	for id, one := range LoadSessions(dir) {
		if one.Client == "" || word(one.Client) != word(client) {
			continue
		}
		if ok {
			return "", s, false
		}
		name, s, ok = id, one, true
	}
	return name, s, ok
}
