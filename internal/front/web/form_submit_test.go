package web

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend/api"
)

// TestSubmit: a form does its call once, and the log names a person.
func TestSubmit(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("a", "hello\n")
	b := p.signIn()
	form := b.form("undo", url.Values{"entry": {tx}})
	a := b.post("/ui/default/do/undo", form)
	if to := a.head.Get("Location"); a.code != 303 || !strings.HasPrefix(to, "/ui/default/change/") || !strings.HasSuffix(to, "?done=1") {
		t.Fatalf("%d %v %s", a.code, a.head, a.body)
	}
	if p.fileText("a") != "nothing" {
		t.Errorf("the file is still there: %q", p.fileText("a"))
	}
	h, err := p.ws.History(t.Context(), api.HistoryRequest{})
	p.must(err)
	if e := h.Data.Entries[0]; e.Client != "emend ui" || e.AgentName != "person" || !strings.HasPrefix(e.SessionID, "ui-") || e.ToolName != "undo" {
		t.Errorf("the log says that it was %+v", e)
	}

	// The same form again, with the file there again: nothing more is done.
	p.create("a", "hello\n")
	again := b.post("/ui/default/do/undo", form)
	again.want(t, 409, "this form was already sent")
	again.want(t, 409, "Show the result")
	again.want(t, 409, `href="`+a.head.Get("Location")+`"`)
	if p.fileText("a") != "hello\n" {
		t.Error("the form was good twice")
	}
}

// TestSubmitNext: a form may name the page to show then, within the workspace.
func TestSubmitNext(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	for next, want := range map[string]string{"/ui/default/trash?x=1": "/ui/default/trash?x=1", "/ui/other/": "/ui/default/", "https://evil.example/": "/ui/default/",
		"//evil.example/ui/default/": "/ui/default/", "/ui/default/../other/": "/ui/default/"} {
		form := b.form("undo", url.Values{"entry": {p.create("a", "x")}})
		form.Set("next", next)
		if a := b.post("/ui/default/do/undo", form); a.head.Get("Location") != want {
			t.Errorf("%s: %d %s", next, a.code, a.head.Get("Location"))
		}
	}
}

// TestForgedForms: a form is good for the browser, the tool and the arguments that it was made for, and nothing else.
func TestForgedForms(t *testing.T) {
	p := newTestSite(t, func(c *Config) {
		c.Workspaces = append(c.Workspaces, Workspace{Name: "other", Workspace: c.Workspaces[0].Workspace})
	})
	tx := p.create("a", "hello\n")
	b, other := p.signIn(), p.signIn()
	args := url.Values{"entry": {tx}}
	for name, send := range map[string]func() answer{
		"no seal":       func() answer { return b.post("/ui/default/do/undo", args) },
		"an empty seal": func() answer { f := b.form("undo", args); f.Set("seal", "~."); return b.post("/ui/default/do/undo", f) },
		"half a seal": func() answer {
			f := b.form("undo", args)
			f.Set("seal", f.Get("seal")[:40])
			return b.post("/ui/default/do/undo", f)
		},
		"of another visit":  func() answer { return b.post("/ui/default/do/undo", other.form("undo", args)) },
		"of another tool":   func() answer { return b.post("/ui/default/do/undo", b.form("purge", args)) },
		"another workspace": func() answer { return b.post("/ui/other/do/undo", b.form("undo", args)) },
		"an argument more": func() answer {
			f := b.form("undo", url.Values{})
			f.Set("entry", tx)
			return b.post("/ui/default/do/undo", f)
		},
		"an argument less": func() answer {
			f := b.form("undo", url.Values{"entry": {tx}, "sessionId": {"x"}})
			f.Del("sessionId")
			return b.post("/ui/default/do/undo", f)
		},
		"another argument": func() answer {
			f := b.form("undo", url.Values{"entry": {"x"}})
			f.Set("entry", tx)
			return b.post("/ui/default/do/undo", f)
		},
		"an argument twice": func() answer { f := b.form("undo", args); f.Add("entry", tx); return b.post("/ui/default/do/undo", f) },
		"a field not open": func() answer {
			f := b.form("undo", args, "reason")
			f.Set("dryRun", "true")
			return b.post("/ui/default/do/undo", f)
		},
		"a field made open": func() answer {
			f := b.form("undo", url.Values{})
			f.Set("seal", "entry"+f.Get("seal"))
			f.Set("entry", tx)
			return b.post("/ui/default/do/undo", f)
		},
		"in the query": func() answer { f := b.form("undo", args); return b.post("/ui/default/do/undo?"+f.Encode(), nil) },
		"by GET":       func() answer { f := b.form("undo", args); return b.get("/ui/default/do/undo?" + f.Encode()) },
		"an agent's tool": func() answer {
			return b.post("/ui/default/do/write_file", b.form("write_file", url.Values{"path": {"b"}, "content": {"x"}}))
		},
		"no tool":            func() answer { return b.post("/ui/default/do/nothing", b.form("nothing", nil)) },
		"a tool in disguise": func() answer { return b.post("/ui/default/do/%75ndo%00", b.form("undo", args)) },
		"as JSON": func() answer {
			return b.ask("POST", "/ui/default/do/undo", `{"entry":"`+tx+`"}`, "Content-Type", "application/json")
		},
		"as plain text": func() answer {
			return b.ask("POST", "/ui/default/do/undo", b.form("undo", args).Encode(), "Content-Type", "text/plain")
		},
		"as parts": func() answer {
			return b.ask("POST", "/ui/default/do/undo", b.form("undo", args).Encode(), "Content-Type", "multipart/form-data; boundary=x")
		},
		"without a type": func() answer { return b.ask("POST", "/ui/default/do/undo", b.form("undo", args).Encode()) },
		"huge": func() answer {
			f := b.form("undo", args)
			f.Set("x", strings.Repeat("y", maxFormBytes))
			return b.post("/ui/default/do/undo", f)
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]int{"an agent's tool": 404, "no tool": 404, "as JSON": 415, "as plain text": 415, "as parts": 415, "without a type": 415, "huge": 413}[name]
			if a := send(); a.code < 400 || a.code >= 500 || want != 0 && a.code != want {
				t.Errorf("%d %v %s", a.code, a.head, a.body)
			}
			if p.fileText("a") != "hello\n" || p.fileText("b") != "nothing" {
				t.Errorf("it was done: %q %q", p.fileText("a"), p.fileText("b"))
			}
		})
	}
	b.post("/ui/default/do/undo", b.form("undo", args)).want(t, 303)
}

// TestInputFields: a person may write anything into an open field, and an empty one is left out.
func TestInputFields(t *testing.T) {
	p := newTestSite(t, nil, "a", "hello\n")
	b := p.signIn()
	d, err := p.ws.Delete(t.Context(), api.DeleteRequest{Path: "a"})
	p.must(err)
	form := b.form("restore_file", url.Values{"trashedPath": {d.Data.TrashedTo}}, "targetPath")
	form.Set("targetPath", "elsewhere/b")
	b.post("/ui/default/do/restore_file", form).want(t, 303)
	if p.fileText("elsewhere/b") != "hello\n" || p.fileText("a") != "nothing" {
		t.Errorf("%q %q", p.fileText("a"), p.fileText("elsewhere/b"))
	}
}

// TestFormsExpire: a form that was open for too long is refused, and its page shown anew.
func TestFormsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Workspaces: []Workspace{{Name: "default"}}})
		r := &request{site: s, ws: &s.Workspaces[0], login: login{name: "ui-x"}}
		args := url.Values{"entry": {"x"}}
		early, late := r.seal("undo", args), r.seal("undo", args)
		time.Sleep(formLifetime - time.Second)
		if err := r.unseal(early, "undo", args); err != nil {
			t.Errorf("a form is not good for an hour: %v", err)
		}
		time.Sleep(time.Second)
		if err := r.unseal(late, "undo", args); err == nil {
			t.Error("a form is good for more than an hour")
		}
	})
}

// TestReadOnlySite: a read-only site makes no call.
func TestReadOnlySite(t *testing.T) {
	p := newTestSite(t, func(c *Config) { c.ReadOnly = true })
	tx := p.create("a", "hello\n")
	b := p.signIn()
	for _, name := range append(slices.Collect(maps.Keys(previews)), slices.Collect(maps.Keys(answerTexts))...) {
		b.post("/ui/default/do/"+name, b.form(name, url.Values{"entry": {tx}})).want(t, 403, "--read-only")
	}
	if p.fileText("a") != "hello\n" {
		t.Error("it was undone")
	}
}

// outside are paths that leave the workspace, or try to.
var outside = []string{"../../etc/passwd", "/etc/passwd", "..", "a/../../x", "trash/../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", `..\..\etc\passwd`, "link/passwd", "//etc/passwd",
	"a\x00/../../etc/passwd", "\x00", "./../x", ".emend/audit", ".git/config", "\xff\xfe", strings.Repeat("a/", 5000), strings.Repeat("../", 200) + "etc/passwd"}

// TestPathsOutside: an address with a path outside of the workspace shows nothing of what is there.
func TestPathsOutside(t *testing.T) {
	p := newTestSite(t, nil, "etc/hosts", "inside\n")
	tx := p.create("a", "hello\n")
	p.must(os.Symlink("/etc", p.dir+"/link"))
	b := p.signIn()
	passwd, err := os.ReadFile("/etc/passwd")
	p.must(err)
	secret, _, _ := strings.Cut(string(passwd), "\n")
	for _, path := range outside {
		q := url.QueryEscape(path)
		raw := url.PathEscape(path)
		for _, address := range []string{"file?path=" + q, "file?path=" + q + "&version=" + q, "file?path=a&version=" + q, "?path=" + q, "?session=" + q + "&q=" + q, "session?id=" + q,
			"change/" + raw, "trash/" + raw, "diff/" + raw + "?file=0&from=0", "diff/" + tx + "?file=" + q + "&from=" + q, "diff/x?session=" + q, "confirm/" + raw,
			"confirm/restore_file?trashedPath=" + q, "confirm/restore_file?trashedPath=" + q + "&targetPath=" + q, "confirm/put_back?path=" + q + "&version=" + q,
			"confirm/undo?entry=" + q, "confirm/undo?path=" + q, "confirm/purge?path=" + q, "confirm/clear_trash?ids=" + q, "waiting?id=" + q, "?before=" + q + "&since=" + q} {
			a := b.get("/ui/default/" + address)
			if a.code >= 500 {
				t.Errorf("%s: %d %s", address, a.code, a.body)
			}
			if strings.Contains(a.body, secret) || strings.Contains(a.body, "root:") {
				t.Errorf("%s shows %s", address, a.body)
			}
		}
		for tool, args := range map[string]url.Values{"restore_file": {"trashedPath": {path}, "targetPath": {path}}, "put_back": {"path": {path}, "version": {path}},
			"undo": {"entry": {path}}, "purge": {"path": {path}}, "clear_trash": {"ids": {path}}, "allow": {"id": {path}}, "deny": {"id": {path}}} {
			a := b.post("/ui/default/do/"+tool, b.form(tool, args))
			if a.code >= 500 || strings.Contains(a.body, secret) {
				t.Errorf("%s %q: %d %s", tool, path, a.code, a.body)
			}
		}
	}
	if p.fileText("a") != "hello\n" || p.fileText("etc/hosts") != "inside\n" {
		t.Error("something was changed")
	}
}
