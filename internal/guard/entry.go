package guard

import (
	"io/fs"
	"time"
)

// Request says how a caller means a path.
type Request struct {
	Base     string // the caller's directory as a slash path from the root; "" or "." is the root
	Absolute bool   // accept an absolute path inside the root, which is refused otherwise
	Known    bool   // the log says that the path had a file, so that its name is not new even if nothing has it now
	// Generated is a directory that programs fill and ignore rules leave out, if the path is below one. Packages carry settings of
	// editors and pipelines that nobody opens there: below it, only the built-in rules for repositories and the store hold. The
	// names of the directory itself, and the policy, count as everywhere.
	Generated string
	Write     bool // check the rules for writing (create, replace, delete, move), not for reading
	// Follow follows a link that is the last name, if its target is inside; the rules are checked for both names. It is for
	// reading a file and, if [Options] allow it, for changing one in place. Deleting and moving apply to the link itself.
	Follow bool
	// Asked, if it is not nil, collects the paths that the policy wants a person to be asked about. They are not refused
	// then: the caller asks before it shows or changes anything. It is kept in the entry, for the reading of the file.
	Asked *AskedPaths
}

// Entry says where a path leads and what is there.
type Entry struct {
	// Rel is the slash path from the root, with the links in the middle resolved. The last name is as given or, if it was
	// followed, as the link says.
	Rel  string
	Via  string // the path of the link that was followed as the last name; the first of them if there were several
	Kind Kind
	// HasParent reports whether the directory of the last name exists.
	HasParent bool
	// Place is the parent directory and the last name. It is equal for two spellings of one path. If the parent is missing,
	// it is the deepest directory that exists and the names from there on.
	Place Identity
	// File is equal for hard links, and zero if nothing is there.
	File    Identity
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	// ChangeTime is as in [vfs.Info].
	ChangeTime time.Time
	Links      uint64
	Target     string // the text of a symbolic link

	asked *AskedPaths
}
