package history

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An archive carries one file of the history elsewhere: a tar.gz with metadata.json, and after it the file at its own path.
// The order tells the two apart, so a file may itself be called metadata.json.

// metadataName is the name of the member that describes the other one.
const metadataName = "metadata.json"

// archiveVersion is the version of archives.
const archiveVersion = 1

// ArchiveMeta is what an archive says of its file.
type ArchiveMeta struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Path      string    `json:"path"` // relative to the workspace
	DeletedAt time.Time `json:"deletedAt,omitzero"`
	SessionID string    `json:"sessionId"`
	AgentName string    `json:"agentName"`
	ToolName  string    `json:"toolName"`
	Sha256    string    `json:"sha256"`
	SizeBytes int64     `json:"sizeBytes"`
	Mode      string    `json:"mode"` // permissions, in octal digits
	MTime     time.Time `json:"mtime,omitzero"`
	Link      string    `json:"link,omitempty"` // target of a symbolic link
}

// WriteArchive writes an archive of a file. content must be SizeBytes long; a symbolic link has none.
func WriteArchive(w io.Writer, m ArchiveMeta, mode fs.FileMode, content io.Reader) error {
	m.Version = archiveVersion
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	text = append(text, '\n')
	first := &tar.Header{Typeflag: tar.TypeReg, Name: metadataName, Size: int64(len(text)), Mode: 0o600, ModTime: m.DeletedAt, Format: tar.FormatPAX}
	if err := t.WriteHeader(first); err != nil {
		return err
	}
	if _, err := t.Write(text); err != nil {
		return err
	}
	file := &tar.Header{Typeflag: tar.TypeReg, Name: m.Path, Size: m.SizeBytes, Mode: int64(mode.Perm()), ModTime: m.MTime, Format: tar.FormatPAX}
	if m.Link != "" {
		file.Typeflag, file.Linkname, file.Size = tar.TypeSymlink, m.Link, 0
	}
	if err := t.WriteHeader(file); err != nil {
		return err
	}
	if m.Link == "" {
		if _, err := io.CopyN(t, content, m.SizeBytes); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// Archived is the file of an archive.
type Archived struct {
	ID, Path string
	Content  string
	Sha256   string
	Perm     fs.FileMode // permissions only
	MTime    time.Time
}

// archiveClaim is the part of metadata.json that must agree with the file. ReadArchive ignores the rest.
type archiveClaim struct {
	Version   int    `json:"version"`
	ID        string `json:"id"`
	Path      string `json:"path"`
	Sha256    string `json:"sha256"`
	SizeBytes *int64 `json:"sizeBytes"`
	Link      string `json:"link"`
}

// BadArchive says why an archive is refused.
type BadArchive struct {
	Why  string
	Size bool // it is larger than allowed
}

func (e *BadArchive) Error() string { return e.Why }

func badArchive(format string, args ...any) error {
	return &BadArchive{Why: fmt.Sprintf(format, args...)}
}

const (
	maxMetadata = 64 << 10 // of metadata.json
	maxPadding  = 64 << 10 // of the zeros after the last member
	maxHeaders  = 4 << 20  // of headers, in all
)

// ReadArchive reads an archive, and trusts nothing in it. The archive must have exactly the two members. The second
// must be a regular file of at most most bytes, with a path that stays below wherever the file is put, and must agree
// with the first. ReadArchive reads no more than the file may have and a few megabytes, whatever sizes the archive
// claims. A *[BadArchive] says what is wrong.
func ReadArchive(r io.Reader, most int64) (*Archived, error) {
	in := bufio.NewReader(&limitedReader{r: r, left: most + most/1024 + maxHeaders})
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, readError(err)
	}
	z.Multistream(false)
	out := &limitedReader{r: z, left: most + maxHeaders}
	a, err := readMembers(tar.NewReader(out), most)
	if err == nil {
		err = checkEnd(out, in)
	}
	if err != nil {
		return nil, readError(err)
	}
	return a, nil
}

// limitedReader fails if there is more than it may read.
type limitedReader struct {
	r    io.Reader
	left int64
}

var errTooLong = &BadArchive{Why: "there is more in the archive than a file may have", Size: true}

func (c *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// readError words the errors of the format's readers.
func readError(err error) error {
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, tar.ErrHeader),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, tar.ErrFieldTooLong):
		return badArchive("it is no whole tar.gz: %v", err)
	}
	return err
}

func readMembers(t *tar.Reader, most int64) (*Archived, error) {
	c, err := readClaim(t)
	if err != nil {
		return nil, err
	}
	a, err := c.readFile(t, most)
	if err != nil {
		return nil, err
	}
	switch h, err := t.Next(); {
	case err == nil:
		return nil, badArchive("it has a third member, %.100q; there must be one file in it", h.Name)
	case err != io.EOF:
		return nil, err
	}
	return a, nil
}

// regularMember returns the header of the next member, which must be a regular file.
func regularMember(t *tar.Reader, which string) (*tar.Header, error) {
	h, err := t.Next()
	if err == io.EOF {
		return nil, badArchive("it has no %s", which)
	}
	if err != nil {
		return nil, err
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return nil, badArchive("%.100q is a sparse file, and its size is not what is in the archive", h.Name)
		}
	}
	if what, no := refusedTypes[h.Typeflag]; no {
		return nil, badArchive("%.100q is a %s", h.Name, what)
	}
	if h.Typeflag != tar.TypeReg {
		return nil, badArchive("%.100q is no regular file (type %q)", h.Name, h.Typeflag)
	}
	return h, nil
}

var refusedTypes = map[byte]string{
	tar.TypeSymlink: "symbolic link, which could lead anywhere: make it by hand", tar.TypeLink: "hard link", tar.TypeDir: "directory", tar.TypeFifo: "FIFO",
	tar.TypeChar: "device", tar.TypeBlock: "device", tar.TypeGNUSparse: "sparse file, and its size is not what is in the archive",
	tar.TypeXGlobalHeader: "header for all members, and there is no need of one",
}

func readClaim(t *tar.Reader) (*archiveClaim, error) {
	h, err := regularMember(t, "metadata.json")
	switch {
	case err != nil:
		return nil, err
	case h.Name != metadataName:
		return nil, badArchive("its first member is %.100q and not metadata.json", h.Name)
	case h.Size > maxMetadata:
		return nil, badArchive("its metadata.json has %d bytes, and at most %d are allowed", h.Size, maxMetadata)
	}
	text, err := io.ReadAll(t)
	if err != nil {
		return nil, err
	}
	c := new(archiveClaim)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, badArchive("its metadata.json cannot be read: %v", err)
	}
	return c, c.check()
}

func (c *archiveClaim) check() error {
	if c.Version != archiveVersion {
		return badArchive("it is of version %d, and this emend reads version %d", c.Version, archiveVersion)
	}
	if c.Link != "" {
		return badArchive("it has a symbolic link, which could lead anywhere: make it by hand")
	}
	if why := badPath(c.Path); why != "" {
		return badArchive("the path in its metadata.json, %.100q, %s", c.Path, why)
	}
	return nil
}

// badPath says why a path cannot be that of a file below a directory, "" if it can.
func badPath(p string) string {
	switch {
	case p == "" || p == ".":
		return "names no file"
	case len(p) > 4096:
		return "is too long"
	case !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl):
		return "has control characters or is not UTF-8"
	case strings.ContainsRune(p, '\\'):
		return "has a backslash"
	case !fs.ValidPath(p) || !filepath.IsLocal(p):
		return "is not a plain path below the workspace"
	}
	return ""
}

// readFile reads the file that the metadata describes.
func (c *archiveClaim) readFile(t *tar.Reader, most int64) (*Archived, error) {
	h, err := regularMember(t, "file after metadata.json")
	switch {
	case err != nil:
		return nil, err
	case h.Name != c.Path:
		return nil, badArchive("its file is at %.100q, and its metadata.json says %.100q", h.Name, c.Path)
	case c.SizeBytes != nil && *c.SizeBytes != h.Size:
		return nil, badArchive("its file has %d bytes, and its metadata.json says %d", h.Size, *c.SizeBytes)
	case h.Size > most:
		return nil, &BadArchive{Why: fmt.Sprintf("its file has %d bytes, and at most %d are allowed", h.Size, most), Size: true}
	}
	// Memory grows with the bytes that are there, not with the size that the header claims.
	sum := sha256.New()
	var b strings.Builder
	if _, err := io.Copy(io.MultiWriter(&b, sum), t); err != nil {
		return nil, err
	}
	a := &Archived{ID: c.ID, Path: c.Path, Content: b.String(), Perm: fs.FileMode(h.Mode).Perm(), MTime: h.ModTime,
		Sha256: hex.EncodeToString(sum.Sum(nil))}
	if c.Sha256 != "" && c.Sha256 != a.Sha256 {
		return nil, badArchive("its file is not the one that its metadata.json tells of: the sha256 differ")
	}
	return a, nil
}

// checkEnd checks that only the zeros follow that pad a tar.
func checkEnd(out io.Reader, in *bufio.Reader) error {
	rest, err := io.ReadAll(io.LimitReader(out, maxPadding+1))
	if err != nil {
		return err
	}
	if len(rest) > maxPadding || strings.Trim(string(rest), "\x00") != "" {
		return badArchive("something comes after its last member")
	}
	if _, err := in.ReadByte(); err != io.EOF {
		if err != nil {
			return err
		}
		return badArchive("something comes after the end of the archive")
	}
	return nil
}
