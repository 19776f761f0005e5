package api

// UndoRequest asks to take back an entry of the log, or all that a session did.
type UndoRequest struct {
	Entry          string `json:"entry,omitempty" jsonschema:"the entry, as history lists it"`
	SessionID      string `json:"sessionId,omitempty" jsonschema:"all of this session"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// PutBackRequest asks to make a file what it was in an earlier version.
type PutBackRequest struct {
	Path           string `json:"path" jsonschema:"the file, relative to the workspace"`
	Version        string `json:"version" jsonschema:"the id of the version"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this; empty: unless nothing is there"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}
