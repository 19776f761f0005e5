package api

import "time"

// DropLogRequest says how much of the log to keep. If both are zero, the policy says it.
type DropLogRequest struct {
	Age   time.Duration // a segment whose records are all older is dropped
	Bytes int64         // the oldest segments beyond this size are dropped
}

// DroppedLog describes the oldest segments of the log, which are dropped.
type DroppedLog struct {
	Segments  int       `json:"segments"` // 0 if there is nothing to drop
	SizeBytes int64     `json:"sizeBytes"`
	First     uint64    `json:"first,omitempty"` // number of their first record
	Last      Head      `json:"last,omitzero"`   // their last record
	Until     time.Time `json:"until,omitzero"`  // no record is newer
	Rule      string    `json:"rule,omitempty"`
	// HeldBy is a transaction of the next segment, which would be dropped too if the history had nothing of it.
	HeldBy string `json:"heldBy,omitempty"`
	Log    *Head  `json:"log,omitempty"` // the newest record of the log, if something was dropped
}

// DroppedBefore says that the log begins later than with record 1, since older segments were dropped by rule.
type DroppedBefore struct {
	Seq   uint64    `json:"seq"`   // number of the record that says so
	At    time.Time `json:"at"`    // when it was done
	Last  Head      `json:"last"`  // the last record that was dropped
	Until time.Time `json:"until"` // no dropped record is newer
	Rule  string    `json:"rule"`
}
