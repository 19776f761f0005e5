package web

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// filePage is the data of the page of one file.
type filePage struct {
	*api.FileHistory
	Versions  []version
	Shown     *shownVersion // the version that the address asks for
	Changes   string        // the timeline of the file, or of what is below the directory
	Directory bool
	Editor    string // opens the file in the person's editor; "" for none
	All       string // the page with more versions
}

// version is the file after one change.
type version struct {
	api.FileVersion
	Did     string
	Show    string // the page with its content
	Against string // the page that compares it with the file as it is now
	PutBack string
}

// shownVersion shows the content of a version, or its difference to the file as it is now.
type shownVersion struct {
	ID      string
	Content *api.Content
	View    *diffView
	Diff    *diffView // if the address asks for it
	Note    string    // why there is no Diff
}

// How many versions are shown at first, and on request.
const (
	fewVersions  = 50
	manyVersions = 1000
)

func (r *request) file() (page, error) {
	q := r.URL.Query()
	path, limit := q.Get("path"), fewVersions
	if path == "" {
		return page{}, &fail.Error{Kind: fail.NotFound, Msg: "no file is named", Hint: "Open one from the timeline."}
	}
	if q.Get("all") != "" {
		limit = manyVersions
	}
	h, err := r.ws.FileHistory(r.Context(), path, limit)
	if err != nil {
		return page{}, err
	}
	p := &filePage{FileHistory: h, Changes: r.ws.With("", "path", h.Path), Directory: !h.Exists && r.isDirectory(h.Path)}
	if r.site.Editor != "" && h.Exists {
		p.Editor = r.ws.With("editor", "path", h.Path)
	}
	for i := range h.Versions {
		p.Versions = append(p.Versions, r.version(h, &h.Versions[i]))
	}
	if h.Truncated && limit == fewVersions {
		p.All = r.ws.With("file", "path", path, "all", "true")
	}
	if id := q.Get("version"); id != "" {
		if p.Shown, err = r.showVersion(h, id, q.Get("against") == "now"); err != nil {
			return page{}, err
		}
	}
	return page{Name: "file", Title: h.Path, Data: p}, nil
}

func (r *request) version(h *api.FileHistory, v *api.FileVersion) version {
	out := version{FileVersion: *v, Did: versionVerb(v)}
	if v.ID == "" {
		return out
	}
	out.Show = r.ws.With("file", "path", h.Path, "version", v.ID)
	if !v.Now {
		out.Against = r.ws.With("file", "path", h.Path, "version", v.ID, "against", "now")
	}
	if same := h.Exists && v.AfterSha256 == h.Sha256; !v.Now && !same {
		out.PutBack = r.ws.Confirm("put_back", "path", h.Path, "version", v.ID)
	}
	return out
}

// versionVerb says in a word or two what made a version.
func versionVerb(v *api.FileVersion) string {
	switch {
	case v.Outside:
		return "changed outside emend"
	case v.Entry == "":
		return "before the first change"
	case len(v.Undoes) > 0:
		return "reverted"
	case v.ToolName == "put_back":
		return "restored"
	case v.ToolName == "restore_file":
		return "restored"
	}
	return operationVerbs[v.Operation][0]
}

// isDirectory reports whether there is a directory at a path.
func (r *request) isDirectory(path string) bool {
	_, err := r.ws.List(r.Context(), api.ListRequest{Path: path, NamesOnly: true})
	return err == nil
}

// showVersion shows a version, or compares it with the file as it is now.
func (r *request) showVersion(h *api.FileHistory, id string, against bool) (*shownVersion, error) {
	c, err := r.ws.Content(r.Context(), id)
	if err != nil {
		return nil, err
	}
	out := &shownVersion{ID: id, Content: c}
	if !against {
		out.View = r.contentView(c)
		return out, nil
	}
	out.Diff, out.Note = r.compareNow(h, c)
	return out, nil
}
