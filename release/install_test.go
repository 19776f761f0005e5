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
	"strings"
	"testing"

	"github.com/sassoftware/go-rpmutils"
)

// firstChange has a program make the first recorded change of a new directory, and looks it up in the log.
func firstChange(t *testing.T, env []string, words ...string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte("*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env = append(env, "HOME="+t.TempDir())
	run := func(args ...string) string {
		all := append(words[1:len(words):len(words)], args...)
		return commandEnv(t, dir, env, words[0], all...)
	}
	run("apply", "p")
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != "two\n" {
		t.Errorf("a.txt is %q, %v", data, err)
	}
	if said := run("log"); !strings.Contains(said, "a.txt") {
		t.Errorf("the log says %q", said)
	}
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
	said := commandEnv(t, t.TempDir(), env, "sh", filepath.Join(dist, "install.sh"), "--dir", bin)
	if !strings.Contains(said, "PATH") {
		t.Errorf("it says %q", said)
	}
	firstChange(t, nil, filepath.Join(bin, "emend"))

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
	commandEnv(t, home, env, "npm", "install", "--global", "emend@"+testVersion)
	firstChange(t, env, filepath.Join(home, "prefix", "bin", "emend"))
	firstChange(t, env, "npx", "-y", "emend@"+testVersion)

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

// packageFile returns the one file of the release with that ending.
func packageFile(t *testing.T, ending string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: the packages are for Linux")
	}
	names, err := filepath.Glob(filepath.Join(dist(t), "*"+ending))
	if err != nil || len(names) != 1 {
		t.Fatalf("*%s: %v, %v", ending, names, err)
	}
	return names[0]
}

// TestDeb installs the package into a directory that is a system of its own, uses it and removes it.
func TestDeb(t *testing.T) {
	needs(t, "dpkg")
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: dpkg installs as root only")
	}
	deb, root := packageFile(t, ".deb"), t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, root, "dpkg", "--root="+root, "-i", deb)
	firstChange(t, nil, filepath.Join(root, "usr/bin/emend"))
	if _, err := os.Stat(filepath.Join(root, "usr/share/man/man1/emend-apply.1.gz")); err != nil {
		t.Error(err)
	}
	command(t, root, "dpkg", "--root="+root, "-r", "emend")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/emend")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed, and still there: %v", err)
	}
}

// TestRPM unpacks the package, and uses the program.
func TestRPM(t *testing.T) {
	f, err := os.Open(packageFile(t, ".rpm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rpm, err := rpmutils.ReadRpm(f)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
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
	firstChange(t, nil, filepath.Join(root, "usr/bin/emend"))
}

// TestAPK unpacks the package, and uses the program.
func TestAPK(t *testing.T) {
	needs(t, "tar")
	root := t.TempDir()
	command(t, root, "tar", "-xzf", packageFile(t, ".apk"))
	firstChange(t, nil, filepath.Join(root, "usr/bin/emend"))
}
