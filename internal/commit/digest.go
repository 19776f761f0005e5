package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// sum returns the sha256 of the file's content, or of a link's target.
func (o *Old) sum() string {
	if isLink(o.Mode) {
		return hashText(o.Link)
	}
	return o.Sum
}

func hashText(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func hashLink(dir vfs.Dir, name string) (string, error) {
	text, err := dir.Readlink(name)
	return hashText(text), err
}

// hashFile returns the sha256 of the file called name, which must be the file that want describes.
func hashFile(dir vfs.Dir, name string, want vfs.Info) (string, error) {
	f, err := dir.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	is, err := f.Stat()
	if err == nil && is.ID != want.ID {
		err = fs.ErrNotExist // another file has the name by now
	}
	if err != nil {
		return "", err
	}
	h := sha256.New()
	buf := make([]byte, max(1, min(is.Size+1, 32<<10)))
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashContent returns the sha256 of a file's content or of a link's target; "" if the file may not be read.
func hashContent(dir vfs.Dir, name string, is vfs.Info) (string, error) {
	if isLink(is.Mode) {
		return hashLink(dir, name)
	}
	sum, err := hashFile(dir, name, is)
	return sum, ignore(err, fs.ErrPermission)
}

// emptySum is the sha256 of no bytes.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func newIdent(is vfs.Info, sum string) *audit.Ident {
	return &audit.Ident{Ino: is.ID.Ino, Size: is.Size, Sum: sum, Link: isLink(is.Mode), Mode: is.Mode}
}
