package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sassoftware/go-rpmutils"
)

// way is a way to install emend. It notes what a person types until the first change is on record, and how long that takes.
type way struct {
	t     *testing.T
	name  string
	env   []string
	typed []string
	took  time.Duration
}

// run runs a command as a person types it: line.
func (w *way) run(line, dir string, name string, args ...string) string {
	w.t.Helper()
	start := time.Now()
	said := commandEnv(w.t, dir, w.env, name, args...)
	w.took += time.Since(start)
	w.typed = append(w.typed, "`"+line+"`")
	return said
}

// firstChange has a program make the first recorded change of a new directory, and looks it up in the log. line is how a person calls
// the program. It prints the row of docs/install.md.
func (w *way) firstChange(line string, words ...string) {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range map[string]string{"a.txt": "one\n", "p": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	has := func(want string) {
		w.t.Helper()
		if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != want {
			w.t.Errorf("a.txt is %q, %v", data, err)
		}
	}
	w.env = append(w.env, "HOME="+w.t.TempDir())
	run := func(args ...string) string {
		w.t.Helper()
		all := append(words[1:len(words):len(words)], args...)
		return w.run(line+" "+strings.Join(args, " "), dir, words[0], all...)
	}
	if said := run("--version"); !strings.Contains(said, testVersion) {
		w.t.Errorf("--version says %q", said)
	}
	run("apply", "--dry-run", "p")
	has("one\n")
	run("apply", "p")
	has("two\n")
	if said := run("log"); !strings.Contains(said, "a.txt") {
		w.t.Errorf("the log says %q", said)
	}
	w.t.Logf("| %s | %s | %.1f s |", w.name, strings.Join(w.typed, "<br>"), w.took.Seconds())
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("NOT RUN: %v", err)
		}
	}
}

// TestInstallScript fetches from a server on this machine, and refuses an archive with another sum.
func TestInstallScript(t *testing.T) {
	needs(t, "sh", "curl", "sha256sum", "tar")
	dist := dist(t)
	changed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := os.ReadFile(filepath.Join(dist, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if changed {
			data = append(data, 0)
		}
		_, _ = w.Write(data)
	}))
	defer server.Close()
	bin := filepath.Join(t.TempDir(), "bin")
	env := []string{"EMEND_BASE_URL=" + server.URL, "HOME=" + t.TempDir()}
	w := &way{t: t, name: "script", env: env}
	said := w.run("curl -fsSL .../install.sh | sh", t.TempDir(), "sh", "-c", `curl -fsSL "$EMEND_BASE_URL/install.sh" | sh -s -- --dir "$0"`, bin)
	if !strings.Contains(said, "PATH") {
		t.Errorf("it says %q", said)
	}
	w.firstChange("emend", filepath.Join(bin, "emend"))

	changed = true
	other := filepath.Join(t.TempDir(), "bin")
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dist, "install.sh"), "--dir", other)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "Nothing was installed") {
		t.Errorf("with another archive: %v, %s", err, out)
	}
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was installed: %v", err)
	}
}

// TestNPM installs and runs the packages from a registry on this machine.
func TestNPM(t *testing.T) {
	needs(t, "npm", "npx", "node")
	registry := serveRegistry(t, filepath.Join(dist(t), "npm"))
	home := t.TempDir()
	env := []string{"npm_config_registry=" + registry, "npm_config_userconfig=/dev/null", "npm_config_cache=" + filepath.Join(home, "cache"),
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_prefix=" + filepath.Join(home, "prefix")}
	w := &way{t: t, name: "npm", env: env}
	w.run("npm install --global emend", home, "npm", "install", "--global", "emend@"+testVersion)
	w.firstChange("emend", filepath.Join(home, "prefix", "bin", "emend"))
	fresh := append(slices.Clone(env), "npm_config_cache="+filepath.Join(home, "cache of npx"))
	(&way{t: t, name: "npx", env: fresh}).firstChange("npx -y emend", "npx", "-y", "emend@"+testVersion)

	// A server that npx started answers.
	cmd := exec.CommandContext(t.Context(), "npx", "-y", "emend@"+testVersion, "serve", ".")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), append(env, "HOME="+home)...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"serverInfo"`)) {
		t.Errorf("serve: %v, %s", err, out)
	}

	// Without the package of the platform it says so.
	dir := t.TempDir()
	commandEnv(t, dir, env, "npm", "install", "--omit=optional", "emend@"+testVersion)
	cmd = exec.CommandContext(t.Context(), "node", "node_modules/emend/bin/emend.js", "version")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("is not installed")) {
		t.Errorf("without the program: %v, %s", err, out)
	}
}

// serveRegistry serves packed packages as a registry of npm does.
func serveRegistry(t *testing.T, dir string) string {
	t.Helper()
	packed := map[string]json.RawMessage{} // package.json by name
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(names) < 3 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text := fileIn(t, name, "package/package.json")
		var p npmPackage
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		packed[p.Name], files[p.Name] = text, name
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if file, ok := strings.CutPrefix(name, "-/"); ok {
			http.ServeFile(w, r, filepath.Join(dir, path.Base(file)))
			return
		}
		text, ok := packed[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		var version map[string]any
		if err := json.Unmarshal(text, &version); err != nil {
			t.Error(err)
		}
		version["dist"] = map[string]string{"tarball": server.URL + "/-/" + filepath.Base(files[name])}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": testVersion},
			"versions": map[string]any{testVersion: version}})
	})
	return server.URL
}

// fileIn returns a file of a packed archive.
func fileIn(t *testing.T, archive, name string) []byte {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s in %s: %v", name, archive, err)
		}
		if h.Name == name {
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
}

// packageFile returns the package for this machine that has that ending. arch is what its format calls the processor.
func packageFile(t *testing.T, ending string, arch map[string]string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: the packages are for Linux")
	}
	names, err := filepath.Glob(filepath.Join(dist(t), "*"+arch[runtime.GOARCH]+ending))
	if err != nil || len(names) != 1 {
		t.Fatalf("*%s: %v, %v", ending, names, err)
	}
	return names[0]
}

var (
	debArch = map[string]string{"amd64": "amd64", "arm64": "arm64", "riscv64": "riscv64", "386": "i386"}
	rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64", "386": "i386"}
	apkArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64", "386": "x86"}
)

// TestDeb installs the package into a directory that is a system of its own, uses it and removes it.
func TestDeb(t *testing.T) {
	needs(t, "dpkg")
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: dpkg installs as root only")
	}
	deb, root := packageFile(t, ".deb", debArch), t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w := &way{t: t, name: "deb"}
	w.run("dpkg -i emend_VERSION-1_amd64.deb", root, "dpkg", "--root="+root, "-i", deb)
	w.firstChange("emend", filepath.Join(root, "usr/bin/emend"))
	if _, err := os.Stat(filepath.Join(root, "usr/share/man/man1/emend-apply.1.gz")); err != nil {
		t.Error(err)
	}
	command(t, root, "dpkg", "--root="+root, "-r", "emend")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/emend")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed, and still there: %v", err)
	}
}

// TestRPM installs the package into a directory that is a system of its own, uses it and removes it. Without rpm it unpacks it.
func TestRPM(t *testing.T) {
	name, root := packageFile(t, ".rpm", rpmArch), t.TempDir()
	w := &way{t: t, name: "rpm"}
	if _, err := exec.LookPath("rpm"); err != nil || os.Geteuid() != 0 {
		t.Logf("NOT RUN: rpm -i: %v, user %d; the package is unpacked", err, os.Geteuid())
		unpackRPM(t, name, root)
		w.firstChange("emend", filepath.Join(root, "usr/bin/emend"))
		return
	}
	w.run("rpm -i emend-VERSION-1.x86_64.rpm", root, "rpm", "--root", root, "-i", name)
	w.firstChange("emend", filepath.Join(root, "usr/bin/emend"))
	command(t, root, "rpm", "--root", root, "-V", "emend")
	command(t, root, "rpm", "--root", root, "-e", "emend")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/emend")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed, and still there: %v", err)
	}
}

func unpackRPM(t *testing.T, name, root string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rpm, err := rpmutils.ReadRpm(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := rpm.ExpandPayload(root); err != nil {
		t.Fatal(err)
	}
	list, err := rpm.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list { // what unpacks does not set the modes
		if err := os.Chmod(filepath.Join(root, f.Name()), os.FileMode(f.Mode()).Perm()); err != nil {
			t.Error(err)
		}
	}
}

// TestAPK unpacks the package, and uses the program: there is no apk outside of Alpine.
func TestAPK(t *testing.T) {
	needs(t, "tar")
	root := t.TempDir()
	w := &way{t: t, name: "apk, unpacked"}
	w.run("tar -xzf emend_VERSION-r1_x86_64.apk", root, "tar", "-xzf", packageFile(t, ".apk", apkArch))
	w.firstChange("emend", filepath.Join(root, "usr/bin/emend"))
}

// TestGoInstall installs from a module proxy on this machine, with nothing compiled before.
func TestGoInstall(t *testing.T) {
	if !whole() {
		t.Skip("NOT RUN: go install: it compiles all that emend needs; EMEND_RELEASE_TARGETS=all does")
	}
	home := t.TempDir()
	proxy := filepath.Join(home, "proxy")
	at := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	const version = "v" + testVersion
	archive := []string{"archive", "--format=zip", "--prefix=" + module + "@" + version + "/", "-o", filepath.Join(at, version+".zip"), "HEAD", "--", "."}
	for name := range strings.Lines(command(t, "..", "git", "ls-files", "*/go.mod")) { // other modules
		archive = append(archive, ":(exclude)"+path.Dir(strings.TrimSpace(name)))
	}
	command(t, "..", "git", archive...)
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{version + ".mod": string(mod), version + ".info": `{"Version":"` + version + `"}`, "list": version + "\n"} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fetched := filepath.Join(strings.TrimSpace(command(t, "..", "go", "env", "GOMODCACHE")), "cache", "download")
	w := &way{t: t, name: "go install", env: []string{"GOPROXY=file://" + proxy + ",file://" + fetched, "GONOSUMDB=*", "GOFLAGS=-modcacherw",
		"GOBIN=" + filepath.Join(home, "bin"), "GOMODCACHE=" + filepath.Join(home, "modules"), "GOCACHE=" + filepath.Join(home, "compiled")}}
	w.run("go install "+module+"/cmd/emend@latest", home, "go", "install", module+"/cmd/emend@"+version)
	w.firstChange("emend", filepath.Join(home, "bin", "emend"))
}
