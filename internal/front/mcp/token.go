package mcp

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// tokenSuffix ends the name of a token file. The built-in rules keep agents from reading and writing such files, even
// if one lies in the workspace.
const tokenSuffix = ".key"

var tokenPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{32,512}$`) })

// Token reads the token in a file. If the file does not exist it creates one with 256 random bits. Servers that start
// at the same time get the same token. It refuses a file that other accounts can read.
func LoadToken(file string) (token string, made bool, err error) {
	token, err = readToken(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, false, err
	}
	token, err = makeToken(file, os.Link)
	if errors.Is(err, fs.ErrExist) { // another process made it first
		token, err = readToken(file)
		return token, false, err
	}
	return token, err == nil, err
}

// NewToken replaces the token in a file. Servers that run keep the token that they have read.
func ReplaceToken(file string) (string, error) { return makeToken(file, os.Rename) }

// makeToken writes a new token to a temporary file and then gives it its name, so that the file is complete when it
// appears.
func makeToken(file string, name func(from, to string) error) (string, error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	var b [32]byte
	rand.Read(b[:])
	token := "emend_" + base64.RawURLEncoding.EncodeToString(b[:])
	draft := ".emend-" + rand.Text() + tokenSuffix
	defer os.Remove(filepath.Join(dir, draft))
	if err := writePrivate(dir, draft, token+"\n"); err != nil {
		return "", err
	}
	return token, name(filepath.Join(dir, draft), file)
}

// writePrivate makes a file that nobody else may read, at any moment.
func writePrivate(dir, name, text string) error {
	d, err := vfs.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.Create(name, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Sync(), f.Close())
}

func readToken(file string) (string, error) {
	f, err := openToken(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return "", err
	} else if err := checkPrivate(file, f, info); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if !tokenPattern().MatchString(token) {
		return "", &fail.Error{Kind: fail.PermissionDenied, Msg: fmt.Sprintf("the token file %s has no token: one is 32 to 512 letters, digits and ._~+/=-", fail.Quote(file)),
			Hint: "Make a new one with --new-token."}
	}
	return token, nil
}
