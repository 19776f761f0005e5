//go:build linux

package scenes

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// canary is the secret. No request contains it, so that an echo is no leak.
const canary = "Xq7Zv0nWk3LdTe"

// secretText is a file with the canary between lines that can be guessed.
const secretText = "# settings\nuser = root\npassword = hunter-" + canary + "\nport = 3000\n# end\n"

// pinText has a hash that must not leak either: a short content can be guessed, and the hash confirms the guess. The hash of
// secretText is known, since callers send it.
var pinText = strings.Replace(secretText, "settings", "pin", 1)

// pinFiles lists the files with pinText.
var pinFiles = []string{".env.local", "d/server.key", "secret/deep/b.txt", "secret/gone2.txt"}

// guessed is a guess at secretText, without the canary.
const guessed = "# settings\nuser = root\npassword = hunter-guess\nport = 3000\n# end\n"

// secretFiles lists the files that may not be read: the first ones by the built-in rules, the others by the policy of [vault].
var secretFiles = []string{".env", ".env.local", "d/.env", "x.pem", "d/server.key", "id_rsa", "d/id_rsa.bak", ".netrc",
	"secret/a.txt", "secret/deep/b.txt", "secret/over.txt", "secret/written.txt", "secret/made.txt", "secret/moved.txt", "secret/moved2.txt"}

// otherPaths lists other paths to them: links, and other spellings.
var otherPaths = []string{"to-env", "d/to-secret-file", "to-secret/a.txt", "to-secret/deep/b.txt", "./.env", "d/../.env", "d/./../secret/a.txt",
	"secret//a.txt", ".ENV", ".env.", ".env ", "SECRET/a.txt", "Secret/A.txt", "secret/a.txt/", ".env/", "to-secret", "secret", "secret/", "secret/deep",
	"ſecret/a.txt", ".e\u200bnv", "../" + "ws/.env", "*", "secret/*", "**/*.pem"}

// vault is a workspace with secrets. Some of them were edited before they were protected.
type vault struct {
	t      *testing.T
	dir    string
	policy string
	open   []emend.Option // options before they were protected
	shut   []emend.Option // options since
	trash  []string       // ids of secret entries
	txs    []string
	needle []string
	calls  map[string]int
	word   string
}

// newVault creates a vault. word is the policy's rule for reading: deny or ask.
func newVault(t *testing.T, word string, calls map[string]int) *vault {
	t.Helper()
	top := t.TempDir()
	v := &vault{t: t, dir: filepath.Join(top, "ws"), policy: filepath.Join(top, "policy.toml"), calls: calls, word: word}
	v.needle = append(encodings(canary), hash(pinText), hash(strings.Replace(pinText, "3000", "5000", 1)))
	for _, name := range secretFiles {
		if name != "secret/moved.txt" && name != "secret/moved2.txt" && name != "secret/made.txt" {
			write(t, filepath.Join(v.dir, name), secretText)
		}
	}
	for _, name := range []string{"secret/gone.txt", "secret/gone2.txt", "gone.pem", "in.txt", "in2.txt"} {
		write(t, filepath.Join(v.dir, name), secretText)
	}
	for _, name := range pinFiles {
		write(t, filepath.Join(v.dir, name), pinText)
	}
	write(t, filepath.Join(v.dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(v.dir, "public.txt"), "one\ntwo\npassword = none\n")
	write(t, filepath.Join(v.dir, "plain.txt"), "one\ntwo\n")
	for name, target := range map[string]string{"to-env": ".env", "to-secret": "secret", "d/to-secret-file": "../secret/a.txt"} {
		if err := os.Symlink(target, filepath.Join(v.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, v.policy, fmt.Sprintf("[read]\n%s = [\"secret/**\"]\n", word))
	v.open = []emend.Option{emend.NoSync(), emend.AllowProtected(".env", "**/*.pem"), emend.ByActor(api.Actor{Session: "before"})}
	v.shut = []emend.Option{emend.NoSync(), emend.Policy(v.policy), emend.ByActor(api.Actor{Session: "now"})}
	v.before()
	return v
}

// encodings returns the forms in which the canary may appear.
func encodings(s string) []string {
	out := []string{strings.ToLower(s), hex.EncodeToString([]byte(s))}
	for shift := range 3 { // base64 of a text that contains it: the part that does not depend on the surroundings
		b := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + s))
		out = append(out, strings.ToLower(b[4*min(shift, 1):len(b)-4]))
	}
	return out
}

// before edits the secrets while they are not protected yet.
func (v *vault) before() {
	ws, ctx := v.ws(v.open), context.Background()
	defer ws.Close()
	sum := hash(secretText)
	edits := []api.TextEdit{{OldText: "port = 3000", NewText: "port = 4000"}}
	edited := hash(strings.Replace(secretText, "3000", "4000", 1))
	v.did(txOf(ws.Create(ctx, api.CreateRequest{Path: "secret/made.txt", Content: secretText})))
	v.did(txOf(ws.Edit(ctx, api.EditRequest{Path: "secret/made.txt", ExpectedSha256: sum, Edits: edits})))
	v.did(txOf(ws.Write(ctx, overwrite(sum))))
	v.did(txOf(ws.Edit(ctx, api.EditRequest{Path: ".env", ExpectedSha256: sum, Edits: edits, IdempotencyKey: "key edit"})))
	for _, name := range []string{"secret/gone.txt", "secret/gone2.txt", "gone.pem"} {
		a, err := ws.Delete(ctx, api.DeleteRequest{Path: name, IdempotencyKey: "key " + name})
		v.did(txOf(a, err))
		v.trash = append(v.trash, a.Data.TrashedTo)
	}
	v.did(txOf(ws.Move(ctx, api.MoveRequest{FromPath: "in.txt", ToPath: "secret/moved.txt", ExpectedSha256: sum})))
	m, err := ws.Move(ctx, api.MoveRequest{FromPath: "plain.txt", ToPath: "secret/over.txt", ExpectedSha256: hash("one\ntwo\n"), Overwrite: true})
	v.did(txOf(m, err))
	v.trash = append(v.trash, m.Data.OverwroteTrashedTo)
	for key, text := range patchesBefore {
		rep, err := ws.Apply(ctx, text, api.PatchOptions{IdempotencyKey: key})
		if err != nil {
			v.t.Fatal(err)
		}
		v.did(rep.Tx, nil)
	}
	rep, err := ws.Undo(ctx, api.UndoRequest{Entry: v.txs[1]})
	if err != nil {
		v.t.Fatal(err)
	}
	v.did(rep.Tx, nil)
	if after := hash(read(v.t, filepath.Join(v.dir, ".env"))); after != edited {
		v.t.Fatalf(".env has %s, want %s", after, edited)
	}
}

// overwrite returns a call that was made before. The call does not contain what it overwrites, but its answer does.
func overwrite(sum string) api.WriteRequest {
	return api.WriteRequest{Path: "secret/written.txt", Content: "new\n", ExpectedSha256: sum, IdempotencyKey: "key write"}
}

// patchesBefore are patches that were applied before, by their key. They do not contain the canary, but their diffs do.
var patchesBefore = map[string]string{
	"key patch": envelope("*** Update File: secret/deep/b.txt", "@@", "-port = 3000", "+port = 5000",
		"*** Update File: public.txt", "@@", "-two", "+2"),
	"key patch move": envelope("*** Update File: in2.txt", "*** Move to: secret/moved2.txt", "@@", "-port = 3000", "+port = 5000"),
}

func (v *vault) did(tx string, err error) {
	v.t.Helper()
	if err != nil || tx == "" {
		v.t.Fatalf("before the vault is shut: %q %v", tx, err)
	}
	v.txs = append(v.txs, tx)
}

func (v *vault) ws(options []emend.Option) *emend.Workspace {
	v.t.Helper()
	ws, err := emend.Open(v.dir, options...)
	if err != nil {
		v.t.Fatal(err)
	}
	return ws
}

// checkLeak fails the test if a text contains the canary.
func (v *vault) checkLeak(tool, what string, texts ...string) {
	v.calls[tool]++
	for _, text := range texts {
		low := strings.ToLower(text)
		for _, n := range v.needle {
			if i := strings.Index(low, n); i >= 0 {
				v.t.Errorf("%s %s says it:\n%.400s", tool, what, text[max(0, i-200):])
				return
			}
		}
	}
}

// answered checks an answer in every form that it has.
func answered[T any](v *vault, tool, what string, a *api.Answer[T], err error) {
	if err != nil {
		v.refusedSays(tool, what, err)
		return
	}
	b, _ := json.Marshal(a.Result())
	v.checkLeak(tool, what, string(b), a.Result().Text(), fmt.Sprintf("%+v", a.Data), strings.Join(a.Notes, "\n"), decoded(a.Data))
}

// decoded returns the bytes of a file that came as base64.
func decoded(data any) string {
	d, ok := data.(api.ReadData)
	if !ok {
		return ""
	}
	b, _ := base64.StdEncoding.DecodeString(d.ContentBase64)
	return string(b)
}

func (v *vault) refusedSays(tool, what string, err error) {
	texts := []string{err.Error(), fmt.Sprintf("%+v", err)}
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		b, _ := json.Marshal(r.Result())
		texts = append(texts, r.Explain(), r.Result().Text(), string(b))
		for _, f := range r.Failures {
			texts = append(texts, fmt.Sprintf("%+v %+v", *f, f.Nearest))
		}
	}
	v.checkLeak(tool, what, texts...)
}

func (v *vault) reported(tool, what string, rep *emend.Report, err error) {
	if err != nil {
		v.refusedSays(tool, what, err)
		return
	}
	b, _ := json.Marshal(rep.Result())
	v.checkLeak(tool, what, string(b), rep.Result().Text(), rep.Summary(), strings.Join(rep.Notes, "\n"))
	for _, f := range rep.Files() {
		v.checkLeak(tool, what, f.Diff())
	}
}

// checkNotReadable fails if the canary is now in a file that may be read.
func (v *vault) checkNotReadable(after string) {
	v.t.Helper()
	err := filepath.WalkDir(v.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		rel, _ := filepath.Rel(v.dir, name)
		if !d.Type().IsRegular() || slices.Contains(secretFiles, rel) || strings.HasPrefix(rel, "secret/") || strings.HasSuffix(rel, ".pem") {
			return nil
		}
		b, err := os.ReadFile(name)
		v.checkLeak("(the tree)", "after "+after+": "+rel, string(b))
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
}

// TestSecrets checks that no call's output contains what may not be read, nor its hash. The call may succeed or fail, may name
// the file in any way, and the file may have been edited, moved, deleted or overwritten before it was protected. No call may
// move the secret to where it can be read.
func TestSecrets(t *testing.T) {
	calls := map[string]int{}
	for _, word := range []string{"deny", "ask"} {
		for _, tool := range probes {
			t.Run(word+"/"+tool.name, func(t *testing.T) {
				v := newVault(t, word, calls)
				ws := v.ws(v.shut)
				defer ws.Close()
				tool.probe(v, ws, t.Context())
				v.checkNotReadable(tool.name)
			})
		}
	}
	all, said := 0, []string{}
	for _, p := range probes {
		all += calls[p.name]
		said = append(said, fmt.Sprintf("%s %d", p.name, calls[p.name]))
	}
	t.Logf("%d calls: %s; %d files looked at for what was carried there", all, strings.Join(said, ", "), calls["(the tree)"])
}

// secretPaths returns the paths to secrets: all of them, or every fourth in a short run.
func (v *vault) secretPaths() (out []string) {
	for i, p := range v.allDoors() {
		if v.word == "deny" || i%4 == 0 {
			out = append(out, p)
		}
	}
	return out
}

func (v *vault) allDoors() []string {
	out := slices.Concat(secretFiles, otherPaths, []string{"secret/gone.txt", "gone.pem"})
	for _, name := range secretFiles {
		out = append(out, filepath.Join(v.dir, name))
	}
	return out
}

// hashes are those that a caller may send: of a guess, of the true content, and none.
var hashes = []string{hash(guessed), hash(secretText), hash(strings.Replace(secretText, "3000", "4000", 1)), ""}

// probes are all calls with all kinds of arguments.
var probes = []struct {
	name  string
	probe func(v *vault, ws *emend.Workspace, ctx context.Context)
}{
	{"read_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range v.secretPaths() {
			for _, r := range []api.ReadRequest{{}, {StartLine: 3, EndLine: 3}, {MaxBytes: 60}, {AllowBinary: true}, {StartLine: 99}} {
				r.Path = p
				a, err := ws.Read(ctx, r)
				answered(v, "read_file", fmt.Sprintf("%+v", r), a, err)
				if err == nil {
					v.t.Errorf("%+v is answered", r)
				}
			}
		}
	}},
	{"list_directory", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range append(v.secretPaths(), ".", "d") {
			a, err := ws.List(ctx, api.ListRequest{Path: p, Recursive: true, IncludeHidden: true, IncludeIgnored: true})
			answered(v, "list_directory", p, a, err)
			if err != nil {
				continue
			}
			for _, e := range a.Data.Entries {
				v.hidden("list_directory", e.RelativePath)
			}
		}
	}},
	{"glob", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range append(v.secretPaths(), "**", "**/*", "**/.*", "secret/**", "**/{.env,*.pem,id_rsa}") {
			for _, root := range []string{"", ".", "d", "secret", "to-secret"} {
				a, err := ws.Glob(ctx, api.GlobRequest{Pattern: p, Root: root, IncludeIgnored: true})
				answered(v, "glob", root+" "+p, a, err)
				if err != nil {
					continue
				}
				for _, m := range a.Data.Matches {
					v.hidden("glob", m.Path)
				}
			}
		}
	}},
	{"search_files", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, q := range []struct{ mode, query string }{{"text", "password"}, {"text", "\n"}, {"text", "hunter-" + canary[:4]}, {"regex", "hunter-.*"},
			{"regex", "(?s).*"}, {"regex", "."}, {"path", "**"}, {"path", "env"}, {"path", "secret/**"}} {
			for _, root := range append(v.secretPaths(), "", ".") {
				r := api.SearchRequest{Query: q.query, Mode: q.mode, Root: root, ContextLines: 3, IncludeIgnored: true}
				for _, globs := range [][]string{nil, {"**"}, {".env", "secret/**", "*.pem"}} {
					r.IncludeGlobs = globs
					a, err := ws.Search(ctx, r)
					answered(v, "search_files", fmt.Sprintf("%+v", r), a, err)
					if err != nil {
						continue
					}
					for _, m := range a.Data.Matches {
						v.hidden("search_files", m.Path)
					}
				}
			}
		}
	}},
	{"create_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range v.secretPaths() {
			a, err := ws.Create(ctx, api.CreateRequest{Path: p, Content: guessed, CreateParentDirectories: true})
			answered(v, "create_file", p, a, err)
		}
	}},
	{"write_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range v.secretPaths() {
			for _, h := range hashes {
				a, err := ws.Write(ctx, api.WriteRequest{Path: p, Content: guessed, ExpectedSha256: h})
				answered(v, "write_file", p, a, err)
			}
		}
		a, err := ws.Write(ctx, overwrite(hash(secretText)))
		answered(v, "write_file", "with the key of before", a, err)
	}},
	{"edit_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range v.secretPaths() {
			for i, h := range hashes {
				for _, old := range []string{"password = hunter-guess", "password", "user = root\npassword = \n", "=", "nowhere", "# end", ""} {
					for _, tolerance := range []string{"", "unicode"}[:1+i%2] {
						a, err := ws.Edit(ctx, api.EditRequest{Path: p, ExpectedSha256: h, Tolerance: tolerance, Edits: []api.TextEdit{{OldText: old, NewText: "guess"}}})
						answered(v, "edit_file", fmt.Sprintf("%s %q", p, old), a, err)
					}
				}
			}
		}
		a, err := ws.Edit(ctx, api.EditRequest{Path: ".env", ExpectedSha256: hash(secretText), IdempotencyKey: "key edit", Edits: []api.TextEdit{{OldText: "port = 3000", NewText: "port = 4000"}}})
		answered(v, "edit_file", "with the key of before", a, err)
	}},
	{"delete_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range v.secretPaths() {
			for _, h := range hashes {
				for _, permanent := range []bool{false, true} {
					a, err := ws.Delete(ctx, api.DeleteRequest{Path: p, ExpectedSha256: h, Permanent: permanent})
					answered(v, "delete_file", p, a, err)
					if err == nil {
						v.restoreElsewhere(ctx, ws, a.Data.TrashedTo)
					}
				}
			}
			a, err := ws.Delete(ctx, api.DeleteRequest{Path: p, IdempotencyKey: "key " + p})
			answered(v, "delete_file", p+" with the key of before", a, err)
		}
	}},
	{"move_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for i, p := range v.secretPaths() {
			for _, h := range hashes {
				a, err := ws.Move(ctx, api.MoveRequest{FromPath: p, ToPath: fmt.Sprintf("stolen%d", i), ExpectedSha256: h})
				answered(v, "move_file", p+" out", a, err)
				a, err = ws.Move(ctx, api.MoveRequest{FromPath: "public.txt", ToPath: p, ExpectedSha256: hash(read(v.t, filepath.Join(v.dir, "public.txt"))), Overwrite: i%2 == 0})
				answered(v, "move_file", "over "+p, a, err)
				if err == nil {
					v.restoreElsewhere(ctx, ws, a.Data.OverwroteTrashedTo)
					write(v.t, filepath.Join(v.dir, "public.txt"), "one\n")
				}
			}
		}
	}},
	{"apply_patch", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for i, p := range v.secretPaths() {
			for _, text := range patchesOn(p, i) {
				for _, o := range []api.PatchOptions{{}, {Lenient: true, Tolerance: patch.Unicode}, {Sequential: true}, {Dialect: "codex"}, {Expect: map[string]string{p: hash(guessed)}}} {
					pl, err := ws.Plan(ctx, text, o)
					if err != nil {
						v.refusedSays("apply_patch", p+" planned", err)
					} else {
						b, _ := json.Marshal(pl.Result())
						v.checkLeak("apply_patch", p+" planned", string(b), pl.Summary())
					}
					v.explained(ws, ctx, p, text, o)
					rep, err := ws.Apply(ctx, text, o)
					v.reported("apply_patch", p, rep, err)
				}
			}
		}
		for key, text := range patchesBefore {
			rep, err := ws.Apply(ctx, text, api.PatchOptions{IdempotencyKey: key})
			v.reported("apply_patch", "with the key of before", rep, err)
		}
	}},
	{"restore_file", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for i, id := range v.trash {
			for _, to := range []string{fmt.Sprintf("back%d", i), "public.txt", "d/" + fmt.Sprint(i), ""} {
				a, err := ws.Restore(ctx, api.RestoreRequest{TrashedPath: id, TargetPath: to})
				answered(v, "restore_file", id+" to "+to, a, err)
				if err == nil && to != "" {
					v.t.Errorf("what was secret is restored to %s", to)
				}
			}
		}
	}},
	{"undo", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, dry := range []bool{true, false} {
			for _, tx := range slices.Backward(v.txs) {
				rep, err := ws.Undo(ctx, api.UndoRequest{Entry: tx, DryRun: dry})
				v.reported("undo", tx, rep, err)
			}
			rep, err := ws.Undo(ctx, api.UndoRequest{SessionID: "before", DryRun: dry})
			v.reported("undo", "of the session", rep, err)
		}
	}},
	{"undo a session", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		rep, err := ws.Undo(ctx, api.UndoRequest{SessionID: "before"})
		v.reported("undo a session", "", rep, err)
	}},
	{"history", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range append(v.secretPaths(), "", ".", "in.txt", "in2.txt", "public.txt") {
			for _, session := range []string{"", "before"} {
				a, err := ws.History(ctx, api.HistoryRequest{Path: p, SessionID: session, Limit: -1, Diff: true})
				answered(v, "history", p, a, err)
			}
		}
	}},
	{"blame", func(v *vault, ws *emend.Workspace, ctx context.Context) {
		for _, p := range append(v.secretPaths(), "", ".", "in.txt", "in2.txt", "public.txt") {
			a, err := ws.Blame(ctx, api.BlameRequest{Path: p})
			answered(v, "blame", p, a, err)
			trace, err := ws.Host().AgentTrace(ctx, api.BlameRequest{Path: p})
			b, _ := json.Marshal(trace)
			v.checkLeak("blame", p+" as a trace", string(b), fmt.Sprint(err))
		}
	}},
	{"the tools", (*vault).tools},
	{"the command line", (*vault).commandLine},
}

// restoreElsewhere tries to restore what a call displaced from the trash, to where it may be read.
func (v *vault) restoreElsewhere(ctx context.Context, ws *emend.Workspace, id string) {
	if id == "" {
		return
	}
	v.calls["fenced"]++
	a, err := ws.Restore(ctx, api.RestoreRequest{TrashedPath: id, TargetPath: fmt.Sprintf("fenced%d", v.calls["fenced"])})
	answered(v, "restore_file", "of what was displaced just now", a, err)
}

// hidden checks that no list of paths contains the path.
func (v *vault) hidden(tool, p string) {
	if slices.Contains(secretFiles, p) || strings.HasPrefix(p, "secret/") {
		v.t.Errorf("%s lists %s", tool, p)
	}
}

// patchesOn returns patches that try to learn what is in a file.
func patchesOn(p string, i int) []string {
	return []string{
		envelope("*** Update File: "+p, "@@", " user = root", "-password = hunter-guess", "+password = x"),
		envelope("*** Update File: "+p, "@@", "-port = 3000", "+port = 1"),
		envelope("*** Update File: "+p, "@@", "-#  settings", "+x"),
		envelope("*** Update File: "+p, "*** Move to: "+fmt.Sprintf("taken%d", i), "@@", "-# end", "+# the end"),
		envelope("*** Move File: " + p + " -> " + fmt.Sprintf("taken-too%d", i)),
		envelope("*** Add File: "+p, "+guess"),
		envelope("*** Delete File: " + p),
		"--- a/" + p + "\n+++ b/" + p + "\n@@ -1,2 +1,2 @@\n # settings\n-user = nobody\n+user = x\n",
	}
}

// commandLine tries every command, in text and in JSON.
func (v *vault) commandLine(_ *emend.Workspace, _ context.Context) {
	ask := func(stdin string, args ...string) {
		for _, more := range [][]string{nil, {"--json"}} {
			args := slices.Concat([]string{"--policy", v.policy, "--durability", "none"}, args, more)
			r := run(v.t, v.dir, stdin, args...)
			v.checkLeak("the command line", strings.Join(args, " "), r.stdout, r.stderr)
			if strings.Contains(r.stderr, "panic") || r.code == 2 {
				v.t.Errorf("emend %s: exit %d, it was not even asked: %s", strings.Join(args, " "), r.code, r.stderr)
			}
		}
	}
	for _, args := range [][]string{{"log"}, {"log", "--diff"}, {"log", "--diff", "--path", "secret"}, {"log", "--diff", "--path", ".env"},
		{"log", "--diff", "--session", "before"}, {"trash", "list"}, {"verify"}, {"doctor"}, {"recover"}, {"ls", "--recursive", "--hidden", "--no-ignore"},
		{"glob", "**"}, {"search", "password", "--context", "3", "--no-ignore"}, {"search", "--mode", "regex", "hunter.*"}, {"search", "--mode", "path", "**"}} {
		ask("", args...)
	}
	for _, tx := range v.txs {
		ask("", "show", tx)
		ask("", "undo", tx, "--dry-run")
	}
	for i, id := range v.trash {
		ask("", "trash", "show", id)
		ask("", "trash", "export", id)
		ask("", "trash", "export", id, "--output", fmt.Sprintf("export%d.tar.gz", i))
		ask("", "restore", id, fmt.Sprintf("back%d", i))
		ask("", "trash", "restore", id, fmt.Sprintf("back-too%d", i))
	}
	for i, p := range []string{".env", "x.pem", "secret/a.txt", "to-env", "to-secret/a.txt", "secret"} {
		ask("", "read", p)
		ask("", "read", p, "--binary")
		ask("", "blame", p)
		ask("", "blame", p, "--agent-trace")
		ask("", "ls", p)
		ask("", "search", "password", p)
		ask(guessed, "create", p)
		ask(guessed, "write", p, "--expect", hash(secretText))
		ask("", "edit", p, "--old", "password = hunter-guess", "--new", "x", "--expect", hash(secretText))
		ask("", "mv", p, fmt.Sprintf("mine%d", i), "--expect", hash(secretText))
		for _, text := range patchesOn(p, i) {
			ask(text, "explain")
			ask(text, "explain", "--html", "page.html", "--force")
			ask(text, "apply", "--dry-run")
			ask(text, "apply")
			ask(text, "convert", "--to", "codex")
		}
		ask("", "rm", p, "--expect", hash(guessed))
		ask("", "rm", p)
	}
	v.personCommands(ask)
}

// explained checks an explanation as a value, as text and as a page.
func (v *vault) explained(ws *emend.Workspace, ctx context.Context, p, text string, o api.PatchOptions) {
	e, err := ws.Explain(ctx, text, o)
	if err != nil {
		v.refusedSays("apply_patch", p+" explained", err)
		return
	}
	b, _ := json.Marshal(e.Result())
	var out strings.Builder
	if err := errors.Join(e.WriteText(&out, 0, false), e.WriteText(&out, 120, true), e.WriteHTML(&out)); err != nil {
		v.t.Error(err)
	}
	v.checkLeak("apply_patch", p+" explained", string(b), out.String())
}

// TestSecretsRig checks that the scene finds the content of files that may be read.
func TestSecretsRig(t *testing.T) {
	v := newVault(t, "deny", map[string]int{})
	for _, text := range []string{secretText, base64.StdEncoding.EncodeToString([]byte(secretText)), hex.EncodeToString([]byte(secretText)), strings.ToUpper(secretText)} {
		heard := false
		for _, n := range v.needle {
			heard = heard || strings.Contains(strings.ToLower(text), n)
		}
		if !heard {
			t.Errorf("nobody hears it in %q", text)
		}
	}
	r := run(t, v.dir, "", "--durability", "none", "read", "secret/a.txt")
	if !strings.Contains(r.stdout, canary) {
		t.Errorf("without the policy the file cannot be read either: %s%s; the scene proves nothing", r.stdout, r.stderr)
	}
}

// TestSecretsBeyond documents the limit of the rules, which are about names. A file with another name, or a copy of its bytes,
// may be read there.
func TestSecretsBeyond(t *testing.T) {
	v := newVault(t, "deny", map[string]int{})
	if err := os.Link(filepath.Join(v.dir, ".env"), filepath.Join(v.dir, "hard.txt")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	ws := v.ws(v.shut)
	defer ws.Close()
	a, err := ws.Read(t.Context(), api.ReadRequest{Path: "hard.txt"})
	t.Logf("a hard link to .env can be read: %t", err == nil && strings.Contains(a.Data.Content, canary))
}
