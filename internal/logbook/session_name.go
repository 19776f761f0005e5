package logbook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

// SessionName returns the name of the session that a person abbreviates. A name that no session has stays as it is. No index has
// abbreviations: for one it reads the whole log.
func SessionName(ctx context.Context, w *workspace.Workspace, given string) (string, error) {
	rd, err := Open(w)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	keys := audit.Keys{}
	keys.Add(audit.BySession, given)
	for _, keys := range []audit.Keys{keys, nil} {
		found, err := rd.sessions(ctx, keys, given)
		switch {
		case err != nil:
			return "", err
		case found[given]:
			return given, nil
		case len(found) == 1:
			return slices.Collect(maps.Keys(found))[0], nil
		case len(found) > 1:
			names := slices.Sorted(maps.Keys(found))
			return "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s abbreviates %d sessions", fail.Quote(given), len(names)),
				Hint: "Write more of the name: " + joinNames(names)}
		}
	}
	return given, nil
}

// sessions returns the sessions that a name abbreviates, of the records with one of the keys; nil is all.
func (rd *Reader) sessions(ctx context.Context, keys audit.Keys, given string) (map[string]bool, error) {
	found, o := map[string]bool{}, NewOutcomes()
	q := audit.Query{Keys: keys, Need: func(_ audit.Kind, line []byte) audit.Detail {
		for quoted := range audit.FieldStrings(line, `"session":"`) {
			var name string
			if json.Unmarshal(quoted, &name) == nil && abbrev.Fits(name, given) {
				found[name] = true
			}
			break // the actor's; what comes later is another field
		}
		return audit.Header
	}}
	for _, err := range rd.Records(ctx, o, q) {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// joinNames lists up to five names.
func joinNames(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + ", …"
	}
	return strings.Join(names, ", ") + "."
}
