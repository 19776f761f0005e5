package api

// DeleteSeveralRequest asks to delete several files as one change.
type DeleteSeveralRequest struct {
	Paths          []string
	Permanent      bool
	Recursive      bool // a directory is deleted with everything in it
	IdempotencyKey string
}

// MoveSeveralRequest asks to move several files as one change. The keys of the single moves are not used.
type MoveSeveralRequest struct {
	Moves          []MoveRequest
	IdempotencyKey string
}

// RestoreSeveralRequest asks for several files back from the trash as one change, each to where it was.
type RestoreSeveralRequest struct {
	TrashedPaths   []string
	IdempotencyKey string
}
