// Package gitobjects reads what git holds of a work tree: the entries of its index, and the contents of blobs. With both, the
// content that a file had before a command ran is known without a copy of it. It also reads the commits behind HEAD and their trees, to
// say which commit a content became part of.
//
// It runs no program and writes nothing. It follows .git, commondir and objects/info/alternates to where they lead, as git does; every other
// name that it opens is fixed, made of hexadecimal digits, or listed by the directory. What a repository has is not
// trusted: memory, depth and work are bounded, and the content of a blob has the hash that the blob is named after.
//
// It reads no reference but HEAD and what that leads to, no attributes or filters, and none of the variables of the environment that lead git elsewhere.
package gitobjects

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// The errors of this package, beside those of the file system. Each comes wrapped, with the file and the reason.
var (
	ErrNone        = errors.New("no git repository")
	ErrNotFound    = errors.New("git does not have the object")
	ErrKind        = errors.New("the object is of another kind")
	ErrTooLarge    = errors.New("too large")
	ErrUnsupported = errors.New("this format of git is not supported")
	ErrDamaged     = errors.New("the git repository is damaged")
)

// ID names an object: the 20 bytes of a SHA-1, or the 32 bytes of a SHA-256.
type ID string

func (id ID) String() string { return hex.EncodeToString([]byte(id)) }

// objectFormat is how a repository names its objects.
type objectFormat struct {
	size int
	new  func() hash.Hash
}

var objectFormats = map[string]objectFormat{"": {sha1.Size, sha1.New}, "sha1": {sha1.Size, sha1.New}, "sha256": {sha256.Size, sha256.New}}

// blobID returns the name of a blob with this content.
func (f objectFormat) blobID(content []byte) ID { return f.objectID(blobObject, content) }

// objectID returns the name of an object with this content.
func (f objectFormat) objectID(k kind, content []byte) ID {
	h := f.new()
	fmt.Fprintf(h, "%s %d\x00", k, len(content))
	h.Write(content)
	return ID(h.Sum(nil))
}

// Repo is the repository of a work tree. Several goroutines may use it; it reads one blob at a time.
type Repo struct {
	dir    string // of this work tree: has the index
	common string // of all work trees of the repository: has config and objects
	format objectFormat

	mu     sync.Mutex
	stores []*objectStore // nil until the first blob
	opened []*pack        // the packs with open files, the oldest first
	inflater
}

// Open opens the repository whose work tree has dir as its top: dir/.git is a directory, a link to one, or a file that names one, as in
// linked work trees and submodules. The error is ErrNone if there is no .git, or if it is not a repository's.
func Open(dir string) (*Repo, error) {
	git, err := gitDir(filepath.Join(dir, ".git"))
	if err != nil {
		return nil, err
	}
	common, err := commonDir(git)
	if err != nil {
		return nil, err
	}
	if !isDir(filepath.Join(common, "objects")) {
		return nil, fmt.Errorf("%s: %w: it has no objects", common, ErrNone)
	}
	file := filepath.Join(common, "config")
	config, err := readSmall(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	format, err := formatIn(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Repo{dir: git, common: common, format: format}, nil
}

// Close closes the files of packs. The Repo can be used again.
func (r *Repo) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.opened {
		p.close()
	}
	r.opened = nil
}

// BlobID returns the name that git gives to a blob with this content.
func (r *Repo) BlobID(content []byte) ID { return r.format.blobID(content) }

func gitDir(dotGit string) (string, error) {
	switch info, err := os.Stat(dotGit); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: %w", dotGit, ErrNone)
	case err != nil:
		return "", err
	case info.IsDir():
		return dotGit, nil
	}
	text, err := readSmall(dotGit)
	if err != nil {
		return "", err
	}
	dir, ok := strings.CutPrefix(text, "gitdir: ")
	dir = strings.TrimRight(dir, "\r\n")
	if !ok || dir == "" {
		return "", fmt.Errorf("%s: %w: the file does not begin with \"gitdir: \"", dotGit, ErrNone)
	}
	if dir = below(filepath.Dir(dotGit), dir); !isDir(dir) {
		return "", fmt.Errorf("%s: %w: %s is no directory", dotGit, ErrNone, strconv.Quote(dir))
	}
	return dir, nil
}

func commonDir(git string) (string, error) {
	text, err := readSmall(filepath.Join(git, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return git, nil
	}
	return below(git, strings.TrimRight(text, "\r\n")), err
}

// extensions are those that do not change how an index or a blob is stored, and objectformat. Git refuses a repository with an extension that
// it does not know.
var extensions = []string{"compatobjectformat", "noop", "noop-v1", "objectformat", "partialclone", "preciousobjects", "refstorage", "relativeworktrees", "worktreeconfig"}

// formatIn returns the format that a repository's configuration declares.
func formatIn(config string) (objectFormat, error) {
	section, version, name := "", 0, ""
	var unknown []string
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			section, line, _ = strings.Cut(rest, "]")
			section = strings.ToLower(strings.TrimSpace(section))
		}
		key, value, _ := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if i := strings.IndexAny(value, "#;"); i >= 0 {
			value = value[:i]
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case key == "" || key[0] == '#' || key[0] == ';':
		case section == "core" && key == "repositoryformatversion":
			n, err := strconv.Atoi(value)
			if err != nil {
				return objectFormat{}, fmt.Errorf("%w: core.repositoryFormatVersion is %.40q", ErrDamaged, value)
			}
			version = n
		case section == "extensions" && key == "objectformat":
			name = strings.ToLower(value)
		case section == "extensions" && !slices.Contains(extensions, key):
			unknown = append(unknown, key)
		}
	}
	if version == 0 { // a repository of version 0 has no extensions
		name, unknown = "", nil
	}
	format, ok := objectFormats[name]
	switch {
	case version < 0 || version > 1:
		return format, fmt.Errorf("%w: core.repositoryFormatVersion is %d", ErrUnsupported, version)
	case !ok:
		return format, fmt.Errorf("%w: extensions.objectFormat is %.40q", ErrUnsupported, name)
	case len(unknown) > 0:
		return format, fmt.Errorf("%w: extensions.%.40q", ErrUnsupported, unknown[0])
	}
	return format, nil
}

// openRegular opens a regular file. It waits for nothing if a named pipe has the name.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w: it is not a regular file", name, ErrDamaged)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: it is not a regular file", name, ErrDamaged)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readText returns the content of a regular file of at most limit bytes.
func readText(name string, limit int64) (string, fs.FileInfo, error) {
	f, info, err := openRegular(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return "", nil, fmt.Errorf("%s: %w: %d bytes", name, ErrTooLarge, info.Size())
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	_, err = io.Copy(&b, io.LimitReader(f, limit))
	return b.String(), info, err
}

func readSmall(name string) (string, error) {
	text, _, err := readText(name, 1<<20)
	return text, err
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// below returns path, which is relative to dir if it is not absolute.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// NewBlobHash returns a hash that gives the name of the blob with the content of size bytes that is written to it.
func (r *Repo) NewBlobHash(size int64) hash.Hash {
	h := r.format.new()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}
