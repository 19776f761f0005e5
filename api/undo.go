package api

// PutBackRequest asks for a version of a file again, at the path that the file has now.
type PutBackRequest struct {
	Path           string `json:"path" jsonschema:"the file, relative to the workspace"`
	Version        string `json:"version" jsonschema:"the id of the version"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this; empty: unless nothing is there"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}
