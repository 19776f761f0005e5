package api

import "time"

// ClearRequest picks files to remove from the trash.
type ClearRequest struct {
	IDs    []string  // none stands for all
	Before time.Time // only files deleted before; zero for any time
}

// Cleared lists the files that were removed from the trash.
type Cleared struct {
	Entries   []Trashed `json:"entries"`
	SizeBytes int64     `json:"sizeBytes"`
	Log       *Head     `json:"log,omitempty"` // the newest record of the log
}

// Content is the content of a version, or of a file in the trash.
type Content struct {
	ID        string
	Path      string // where it was
	Text      string // whole lines, at most 4 MiB
	Truncated bool
	Binary    bool   // then Text is empty
	Link      string // where a symbolic link leads
	SizeBytes int64
	Sha256    string
	MTime     time.Time
	Mode      string // permissions, in octal digits
}

// Pruned counts what a pruning removed.
type Pruned struct {
	Transactions int   `json:"transactions"` // that can no longer be undone
	Files        int   `json:"files"`
	SizeBytes    int64 `json:"sizeBytes"`
}

// Packed counts what was packed.
type Packed struct {
	Files     int   `json:"files"`
	SizeBytes int64 `json:"sizeBytes"` // before
}

// PurgeRequest picks transactions to purge. A transaction matches when every condition that is set holds.
type PurgeRequest struct {
	Entries   []string  // names of transactions, six or more characters that a name begins with, or #number
	Path      string    // a file, or a directory, that they touched
	SessionID string    // that made them
	Before    time.Time // they were made before
}

// Purged lists what a purge removes, or has removed.
type Purged struct {
	Transactions []PurgedTx `json:"transactions"` // the newest first
	SizeBytes    int64      `json:"sizeBytes"`
	Notes        []string   `json:"notes,omitempty"` // what a person should know, one sentence each
	Log          *Head      `json:"log,omitempty"`   // the newest record of the log
}

// PurgedTx is a transaction whose content is purged. It can no longer be undone then.
type PurgedTx struct {
	Tx        string    `json:"tx"`
	At        time.Time `json:"at"`
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	Client    string    `json:"-"`
	ToolName  string    `json:"toolName,omitempty"`
	Paths     []string  `json:"paths"`
	Files     int       `json:"files"` // files in the history: contents, the diff, the answer
	SizeBytes int64     `json:"sizeBytes"`
	Trash     []string  `json:"trash,omitempty"` // ids in the trash that go too
}

// Trashed is a file in the trash: a file that was deleted, or overwritten by a move or an addition. It stays there until a
// person clears it.
type Trashed struct {
	ID        string    `json:"id"` // for Content, Restore and TrashShow
	Path      string    `json:"path"`
	DeletedAt time.Time `json:"deletedAt"`
	SizeBytes int64     `json:"sizeBytes"`
	Mode      string    `json:"mode"` // permissions, in octal digits
	MTime     time.Time `json:"mtime"`
	Link      string    `json:"link,omitempty"`   // where a symbolic link leads
	Sha256    string    `json:"sha256,omitempty"` // of the log; for a link, of where it leads
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	Client    string    `json:"-"`
	ToolName  string    `json:"toolName,omitempty"`
	Operation string    `json:"operation"` // delete, move, add; or conflict: the change failed, and a newer file stood at the path
}

// TrashedFile is a file in the trash, with the beginning of its content.
type TrashedFile struct {
	Trashed
	Content   string `json:"content"`   // at most 32 KiB of text
	Binary    bool   `json:"binary"`    // then there is no Content
	Truncated bool   `json:"truncated"` // there is more than Content
}
