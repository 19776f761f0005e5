package audit

import "errors"

// Pending returns the transaction that may be unfinished, nil if there is none. That is the last transaction, if no end
// follows it. Transactions run one after the other, so any end ends every one before it.
func (l *Log) Pending() (*Record, error) {
	if err := l.Err(); err != nil || l.snapshot().nonePending {
		return nil, err
	}
	restarted := false
	for r, err := range l.Backward() {
		if _, ok := errors.AsType[*Corrupt](err); ok && restarted {
			return nil, nil // a person dealt with the damage
		}
		switch {
		case err != nil:
			return nil, err
		case r.Kind.isEnd():
			return nil, nil
		case r.Kind.isCommit():
			return r, nil
		}
		restarted = restarted || r.restarts()
	}
	return nil, nil
}
