package web

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// newUnreadableSite is a site over two files with a past that may not be read any more: one is protected, and for the other a
// person has to be asked. ids are their contents in the history.
func newUnreadableSite(t *testing.T) (p *testSite, ids []string) {
	p = newTestSite(t, nil)
	p.Close()
	p.must(p.ws.Close())
	ctx := emend.WithActor(t.Context(), api.Actor{Client: "client", Session: "s1"})
	open, err := emend.Open(p.dir, emend.NoSync(), emend.AllowProtected(".env"))
	p.must(err)
	for _, path := range []string{".env", "asked/a"} {
		e, err := open.Create(ctx, api.CreateRequest{Path: path, Content: "KEY=" + secret + "\n", CreateParentDirectories: true})
		p.must(err)
		_, err = open.Edit(ctx, api.EditRequest{Path: path, ExpectedSha256: e.Data.Sha256, Edits: []api.TextEdit{{OldText: "KEY=" + secret + " and something else\n", NewText: "x"}}})
		if err == nil {
			t.Error("an edit of nothing was made")
		}
		w, err := open.Write(ctx, api.WriteRequest{Path: path, Content: "KEY=" + secret + "2\n", ExpectedSha256: e.Data.Sha256})
		p.must(err)
		_, err = open.Delete(ctx, api.DeleteRequest{Path: path, ExpectedSha256: w.Data.AfterSha256})
		p.must(err)
		_, err = open.Create(ctx, api.CreateRequest{Path: path, Content: "KEY=" + secret + "3\n"})
		p.must(err)
		h, err := open.FileHistory(ctx, path, 100)
		p.must(err)
		for _, v := range h.Versions {
			ids = append(ids, v.ID)
		}
	}
	all, err := open.Trash(ctx)
	p.must(err)
	for _, is := range all {
		ids = append(ids, is.ID)
	}
	p.must(open.Close())
	conf := filepath.Join(t.TempDir(), "policy.toml")
	p.must(os.WriteFile(conf, []byte("[read]\nask = [\"asked/**\"]\n"), 0o600))
	p.ws, err = emend.Open(p.dir, emend.NoSync(), emend.Policy(conf))
	p.must(err)
	t.Cleanup(func() { p.ws.Close() })
	p.Site = New(Config{Workspaces: []Workspace{{Name: "default", Workspace: p.ws}}, Token: testToken, Log: p.Log})
	p.serve()
	return p, ids
}

// TestUnreadableFiles: no address shows such a file, tells whether a text is in it, or puts it where it may be read.
func TestUnreadableFiles(t *testing.T) {
	p, ids := newUnreadableSite(t)
	if len(ids) < 6 {
		t.Fatalf("the history keeps %q", ids)
	}
	b := p.signIn()
	look := func(address string) string {
		t.Helper()
		a := b.get("/ui/default/" + address)
		if a.code >= 500 || strings.Contains(a.body, secret) {
			t.Errorf("%s: %d %s", address, a.code, a.body)
		}
		return a.body
	}
	line, err := p.ws.Timeline(t.Context(), api.TimelineRequest{Limit: 100})
	p.must(err)
	for _, c := range line.Calls {
		e := url.PathEscape(strings.TrimPrefix(c.Entry, "#"))
		for _, address := range []string{"change/" + e, "change/" + e + "?view=split", "diff/" + e + "?file=0", "diff/" + e + "?file=0&part=1&from=0", "confirm/undo?entry=" + e, "confirm/purge?entries=" + e,
			"json/change/" + e, "json/content/" + e + "/0/before", "json/content/" + e + "/0/after", "json/confirm/undo?entry=" + e} {
			look(address)
		}
	}
	for _, address := range []string{"", "json/timeline", "session?id=s1", "diff/session?session=s1&file=0", "diff/session?session=s1&file=1", "confirm/undo?sessionId=s1", "confirm/purge?sessionId=s1", "trash", "health?verify=1"} {
		look(address)
	}
	for _, path := range []string{".env", "asked/a"} {
		look("file?path=" + path)
		for _, id := range ids {
			id = url.QueryEscape(id)
			for _, address := range []string{"file?path=" + path + "&version=" + id, "file?path=" + path + "&version=" + id + "&against=now", "diff/content?id=" + id, "diff/content?id=" + id + "&part=1",
				"trash/" + id, "confirm/put_back?path=" + path + "&version=" + id, "confirm/put_back?path=copy&version=" + id, "confirm/restore_file?trashedPath=" + id + "&targetPath=copy"} {
				look(address)
			}
		}
	}
	for _, id := range ids {
		for tool, args := range map[string]url.Values{"restore_file": {"trashedPath": {id}, "targetPath": {"copy"}}, "put_back": {"path": {"copy"}, "version": {id}}} {
			if a := b.post("/ui/default/do/"+tool, b.form(tool, args)); a.code < 400 || strings.Contains(a.body, secret) || p.fileText("copy") != "nothing" {
				t.Errorf("%s %s: %d %v %s", tool, id, a.code, a.head, a.body)
			}
		}
	}
	const call = `<li class="call`
	if strings.Count(look("?q="+secret[:10]), call) > 0 {
		t.Error("a search says that the text is there")
	}
}
