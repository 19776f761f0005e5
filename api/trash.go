package api

import "time"

// ClearRequest says what is to leave the trash for good.
type ClearRequest struct {
	IDs    []string  // these; none stands for all
	Before time.Time // and only what was deleted before; zero for any time
}

// Cleared is what left the trash.
type Cleared struct {
	Entries   []Trashed `json:"entries"`
	SizeBytes int64     `json:"sizeBytes"`
	Log       *Head     `json:"log,omitempty"` // the newest record of the log
}

// Content is what is kept under an ID: of a version, or of the trash.
type Content struct {
	ID        string
	Path      string // where it was
	Text      string // at most 4 MiB of it, whole lines
	Truncated bool
	Binary    bool // then Text is empty
	Link      string
	SizeBytes int64
	Sha256    string
	MTime     time.Time
	Mode      string // its permissions, in octal digits
}

// Pruned is what a pruning removed.
type Pruned struct {
	Transactions int   `json:"transactions"` // that can no longer be undone
	Files        int   `json:"files"`
	SizeBytes    int64 `json:"sizeBytes"`
}

// PurgeRequest picks transactions by what the log has of them. Every condition that is given has to hold.
type PurgeRequest struct {
	Entries   []string  // they are among these: a transaction, six or more characters that it begins with, or #number
	Path      string    // they touched this file, or something below this directory
	SessionID string    // this session made them
	Before    time.Time // they were made before
}

// Purged is what leaves the history, or has left it.
type Purged struct {
	Transactions []PurgedTx `json:"transactions"` // the newest first
	SizeBytes    int64      `json:"sizeBytes"`
	Notes        []string   `json:"notes,omitempty"` // what a person should know, one sentence each
	Log          *Head      `json:"log,omitempty"`   // the newest record of the log
}

// PurgedTx is a transaction that can no longer be undone when its content has left the history.
type PurgedTx struct {
	Tx        string    `json:"tx"`
	At        time.Time `json:"at"`
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	ToolName  string    `json:"toolName,omitempty"`
	Paths     []string  `json:"paths"`
	Files     int       `json:"files"` // that the history has of it: contents, the diff, the answer
	SizeBytes int64     `json:"sizeBytes"`
	Trash     []string  `json:"trash,omitempty"` // the ids that leave the trash
}

// Trashed is a file in the trash: what a deletion, or a move or an addition onto it, took from its path. It is there
// until a person clears it.
type Trashed struct {
	ID        string    `json:"id"` // by which it is asked for
	Path      string    `json:"path"`
	DeletedAt time.Time `json:"deletedAt"`
	SizeBytes int64     `json:"sizeBytes"`
	Mode      string    `json:"mode"` // its permissions, in octal digits
	MTime     time.Time `json:"mtime"`
	Link      string    `json:"link,omitempty"`   // where it leads, of a symbolic link
	Sha256    string    `json:"sha256,omitempty"` // as the log has it; of a link, that of where it leads
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	ToolName  string    `json:"toolName,omitempty"`
	Operation string    `json:"operation"` // what was done to the path: delete, move, add; or conflict: a newer file was in the way when it was to be put back
}

// TrashedFile is a file of the trash and the beginning of what it says.
type TrashedFile struct {
	Trashed
	Content   string `json:"content"`   // text only
	Binary    bool   `json:"binary"`    // then there is no Content
	Truncated bool   `json:"truncated"` // there is more than Content
}
