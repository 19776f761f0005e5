package logbook

import (
	"crypto/sha256"
	"encoding/hex"
)

func Sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// Pending is the transaction that somebody is at work on, or that was interrupted; "" for none.
func (j *Journal) Pending() string {
	if j.Log == nil {
		return ""
	}
	if r, err := j.Log.Pending(); err == nil && r != nil {
		return r.Tx
	}
	return ""
}
