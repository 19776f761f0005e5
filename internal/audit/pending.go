package audit

import (
	"errors"
	"slices"
)

// Pending returns the transactions that may be unfinished, oldest first: those of the last group that have no end. A
// transaction that was committed alone is a group of one. Groups run one after the other, so the end of one ends every one
// before it.
func (l *Log) Pending() (open []*Record, err error) {
	if err := l.Err(); err != nil || l.snapshot().nonePending {
		return nil, err
	}
	restarted, ended := false, map[string]bool{}
	var newer *Record // the commit after the next one
	for r, err := range l.Backward() {
		if _, ok := errors.AsType[*Corrupt](err); ok && (restarted || newer != nil) {
			break // a person dealt with the damage, or it is before the group
		}
		if err != nil {
			return nil, err
		}
		if newer != nil && !(r.Kind.isCommit() && r.Group == newer.Group+1) {
			break
		}
		switch {
		case r.endsAll():
			return nil, nil
		case r.Kind.isEnd():
			ended[r.Tx] = true
		case r.Kind.isCommit():
			if newer = r; !ended[r.Tx] {
				open = append(open, r)
			}
		}
		restarted = restarted || r.restarts()
	}
	slices.Reverse(open)
	return open, nil
}
