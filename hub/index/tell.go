package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/emend-dev/emend/hub/chain"
)

// Tell stores a finding that did not come with a message of the stream, unless it is there already. An index that is made again does not have it until
// it is found again.
func (w *Tx) Tell(f *chain.Finding) error {
	ws, err := w.workspace(f.Workspace)
	if err != nil {
		return err
	}
	s, err := w.stmt(`SELECT count(*) FROM finding WHERE workspace = ? AND finding ->> 'kind' = ? AND finding ->> 'seq' = ? AND
		ifnull(finding ->> 'have', '') = ? AND ifnull(finding ->> 'got', '') = ?`)
	if err != nil {
		return err
	}
	var n int
	if err := s.QueryRowContext(w.ctx, ws.id, string(f.Kind), f.Seq, f.Have, f.Got).Scan(&n); n > 0 || err != nil {
		return err
	}
	return w.finding(ws, f)
}

// State returns how far the chain of a workspace was verified; the zero State if it sent nothing.
func (x *Index) State(ctx context.Context, ws string) (s chain.State, err error) {
	var text []byte
	err = x.read.QueryRowContext(ctx, "SELECT state FROM workspace WHERE name = ?", ws).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}
