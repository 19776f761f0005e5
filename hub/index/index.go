// Package index answers questions about the records of all workspaces: filters, sessions, the history of a path, counts. It is a copy that is
// derived from the hub's stream, in one file. It is never the record: the file may be removed at any time, and is made again from the stream.
//
// Each record has terms: its workspace, its session, agent, client and tool, its kind, its marks, its paths and their directories. For each
// term the index keeps the numbers of its records. The number of a record begins with its time, so that all lists are in the order of time.
package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"

	"modernc.org/sqlite" // the engine: pure Go
	lib "modernc.org/sqlite/lib"
)

// version is that of the tables below. A file with another one is made again.
const version = 1

const schema = `
CREATE TABLE meta (version INTEGER NOT NULL, position INTEGER NOT NULL);
CREATE TABLE workspace (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, at INTEGER NOT NULL, arrived INTEGER NOT NULL,
	policy TEXT NOT NULL, repository TEXT NOT NULL);
CREATE INDEX workspace_repository ON workspace (repository) WHERE repository <> '';
CREATE TABLE chain (workspace INTEGER NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, h BLOB NOT NULL, position INTEGER NOT NULL,
	PRIMARY KEY (workspace, epoch, seq))
	WITHOUT ROWID;
CREATE TABLE term (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, records INTEGER NOT NULL, UNIQUE (kind, value));
CREATE VIRTUAL TABLE words USING fts5 (value, content='', columnsize=0, tokenize='trigram');
CREATE TABLE record (id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, tx TEXT NOT NULL,
	arrived INTEGER NOT NULL, void INTEGER NOT NULL, terms BLOB NOT NULL, line BLOB NOT NULL);
CREATE INDEX record_seq ON record (workspace, seq);
CREATE INDEX record_tx ON record (tx) WHERE tx <> '';
CREATE TABLE posting (term INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (term, record)) WITHOUT ROWID;
CREATE TABLE ended (workspace INTEGER NOT NULL, tx TEXT NOT NULL, how TEXT NOT NULL, PRIMARY KEY (workspace, tx)) WITHOUT ROWID;
CREATE TABLE undone (workspace INTEGER NOT NULL, tx TEXT NOT NULL, undo TEXT NOT NULL, PRIMARY KEY (workspace, tx, undo)) WITHOUT ROWID;
CREATE TABLE session (workspace INTEGER NOT NULL, name TEXT NOT NULL, agent TEXT NOT NULL, client TEXT NOT NULL, first INTEGER NOT NULL,
	last INTEGER NOT NULL, calls INTEGER NOT NULL, refused INTEGER NOT NULL, PRIMARY KEY (workspace, name)) WITHOUT ROWID;
CREATE INDEX session_last ON session (last, workspace);
CREATE TABLE hours (workspace INTEGER NOT NULL, hour INTEGER NOT NULL, done INTEGER NOT NULL, refused INTEGER NOT NULL,
	PRIMARY KEY (hour, workspace)) WITHOUT ROWID;
CREATE TABLE finding (id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, grave INTEGER NOT NULL, position INTEGER NOT NULL, finding TEXT NOT NULL);
CREATE INDEX finding_of ON finding (workspace, grave, id);
CREATE INDEX finding_at ON finding (position);
`

// Index is an open index. Its methods may be called at once; there is one writer at a time.
type Index struct {
	path  string
	read  *sql.DB
	write *sql.DB

	mu    sync.Mutex       // held while writing
	terms map[string]int64 // the ids of terms that were written lately
	full  map[int64]int64  // see [Tx]
}

// Open opens the index in a file, or makes one. A file that is damaged, or of another version, is removed and made anew: it is empty then, and
// [Index.Position] is 0. readers is how many questions are answered at once.
func Open(ctx context.Context, path string, readers int) (*Index, error) {
	x, err := open(ctx, path, readers)
	if err == nil || !unusable(err) {
		return x, err
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("the index cannot be made again: %w", err)
		}
	}
	return open(ctx, path, readers)
}

// errVersion says that a file is of another version.
var errVersion = errors.New("another version")

// unusable reports whether an error says that the file is damaged or of another version. Any other, such as a full disk, is no reason to remove it.
func unusable(err error) bool {
	if errors.Is(err, errVersion) {
		return true
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_ERROR: // the last: there is no such table
		return true
	}
	return false
}

func open(ctx context.Context, path string, readers int) (*Index, error) {
	x := &Index{path: path, terms: map[string]int64{}, full: map[int64]int64{}}
	var err error
	if x.write, err = connect(path, 1); err != nil {
		return nil, err
	}
	if x.read, err = connect(path, readers); err != nil {
		x.write.Close()
		return nil, err
	}
	if err := x.prepare(ctx); err != nil {
		x.Close()
		return nil, fmt.Errorf("index %s: %w", path, err)
	}
	return x, nil
}

// connect opens the file. A power cut may take the last transactions, and leaves a file that is whole: the stream has what is missing.
func connect(path string, most int) (*sql.DB, error) {
	q := url.Values{"_pragma": {"journal_mode(wal)", "synchronous(normal)", "busy_timeout(10000)", "cache_size(-65536)", "temp_store(memory)"}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// prepare makes the tables, or checks that they are those of this version.
func (x *Index) prepare(ctx context.Context) error {
	var tables, have int
	if err := x.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		if err := x.write.QueryRowContext(ctx, "SELECT version FROM meta").Scan(&have); err != nil {
			return err
		}
		if have != version {
			return fmt.Errorf("%w: %d", errVersion, have)
		}
		return nil
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit there is nothing to roll back
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO meta VALUES (?, 0)", version); err != nil {
		return err
	}
	return tx.Commit()
}

// Close closes the index.
func (x *Index) Close() error { return errors.Join(x.read.Close(), x.write.Close()) }

// Position returns the sequence of the newest message of the stream that the index has. Reading goes on behind it.
func (x *Index) Position(ctx context.Context) (n uint64, err error) {
	err = x.read.QueryRowContext(ctx, "SELECT position FROM meta").Scan(&n)
	return n, err
}

// Bytes returns the size of the file, with what is not merged into it yet.
func (x *Index) Bytes() (n int64) {
	for _, end := range []string{"", "-wal"} {
		if f, err := os.Stat(x.path + end); err == nil {
			n += f.Size()
		}
	}
	return n
}

// termKey returns the key under which the id of a term is kept in memory.
func termKey(kind, value string) string { return kind + ":" + value }

// The kinds of terms. Those of textKinds are found by a part of them.
const (
	kindWorkspace = "w"
	kindSession   = "s"
	kindAgent     = "a"
	kindClient    = "c"
	kindTool      = "t"
	kindRecord    = "k"
	kindMark      = "x"
	kindPath      = "p"
	kindDirectory = "d"
	kindMessage   = "m"
)

func isText(kind string) bool {
	switch kind {
	case kindSession, kindAgent, kindClient, kindTool, kindPath, kindMessage:
		return true
	}
	return false
}
