package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed static
var staticFS embed.FS

// staticFile is a script, style or image. Every browser may have it: it says nothing about a workspace.
type staticFile struct {
	contentType, etag string
	body              []byte
}

var staticFiles = sync.OnceValue(func() map[string]*staticFile {
	out := map[string]*staticFile{}
	all, _ := staticFS.ReadDir("static")
	for _, f := range all {
		body, _ := staticFS.ReadFile("static/" + f.Name())
		sum := sha256.Sum256(body)
		out[f.Name()] = &staticFile{mime.TypeByExtension(path.Ext(f.Name())), `"` + hex.EncodeToString(sum[:8]) + `"`, body}
	}
	return out
})

// ServeStatic answers with a static file, and reports whether there is one. The browser must ask each time whether the file is
// still the same, since another version of emend may be at the same address tomorrow.
func ServeStatic(w http.ResponseWriter, r *http.Request) bool {
	name, ok := strings.CutPrefix(r.URL.Path, Base+"static/")
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	f := staticFiles()[name]
	if f == nil {
		return false
	}
	w.Header().Set("Content-Type", f.contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	return true
}
