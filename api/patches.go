package api

import ()

// Limits bound what one patch may do. Each is refused clearly, before anything is changed.
type Limits struct {
	PatchBytes int64 // the text of the patch
	Files      int   // the sections of the patch
	FileBytes  int64 // one file, before and after
	TotalBytes int64 // all files, before and after
	Depth      int   // the names of a path
}

// DefaultLimits are those of a workspace that names none.
var DefaultLimits = Limits{PatchBytes: 1 << 30, Files: 200_000, FileBytes: 4 << 30, TotalBytes: 8 << 30, Depth: 128}
