package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

const testVersion = "0.0.1-test.1"

// testTargets are those that the tests build: the one that runs here, and one that packs in another way. EMEND_RELEASE_TARGETS names
// others, as -targets does, or "all".
func testTargets() string {
	here := runtime.GOOS + "/" + runtime.GOARCH
	switch more := os.Getenv("EMEND_RELEASE_TARGETS"); more {
	case "":
		return here + ",windows/amd64"
	case "all":
		return ""
	default:
		return here + "," + more
	}
}

// whole reports whether what takes minutes is tested too.
func whole() bool { return os.Getenv("EMEND_RELEASE_TARGETS") != "" }

var madeIn string // to be removed at the end

var made = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "emend-release-test-")
	if err != nil {
		return "", err
	}
	madeIn = dir
	o, err := parseFlags([]string{"-q", "-dirty", "-version", testVersion, "-out", filepath.Join(dir, "dist"), "-targets", testTargets()})
	if err != nil {
		return "", err
	}
	return o.out, run(context.Background(), o)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if madeIn != "" {
		os.RemoveAll(madeIn)
	}
	os.Exit(code)
}

// dist returns a release that was made once for all tests.
func dist(t *testing.T) string {
	t.Helper()
	if !builtHere() {
		t.Skipf("NOT RUN: no release is made for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	dir, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func builtHere() bool {
	_, err := pickTargets(runtime.GOOS + "/" + runtime.GOARCH)
	return err == nil
}

// TestSameBytes makes the release again from a clone in another directory, and compares the sums of all files. With
// EMEND_RELEASE_COLD=1 nothing that was compiled before is used again.
func TestSameBytes(t *testing.T) {
	if changed := command(t, "..", "git", "status", "--porcelain"); changed != "" {
		t.Skipf("NOT RUN: these files are not as they were committed:\n%s", changed)
	}
	first := sumsOf(t, dist(t))
	program, clone := filepath.Join(t.TempDir(), "release"), filepath.Join(t.TempDir(), "another directory")
	command(t, ".", "go", "build", "-o", program, ".")
	command(t, "..", "git", "clone", "-q", "--no-hardlinks", ".", clone)
	var env []string
	if os.Getenv("EMEND_RELEASE_COLD") != "" {
		env = []string{"GOCACHE=" + t.TempDir()}
	}
	commandEnv(t, filepath.Join(clone, "release"), env, program, "-q", "-version", testVersion, "-out", "../dist", "-targets", testTargets())
	if second := sumsOf(t, filepath.Join(clone, "dist")); second != first {
		t.Fatalf("two runs differ:\n%s\n%s", first, second)
	}
	n := strings.Count(first, "\n")
	if n < 12 {
		t.Errorf("only %d files:\n%s", n, first)
	}
	t.Logf("%d files for %s: the same bytes twice", n, cmp.Or(testTargets(), "all targets"))
}

func sumsOf(t *testing.T, dist string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSums has sha256sum check what the release says of itself.
func TestSums(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("NOT RUN: there is no sha256sum")
	}
	command(t, dist(t), "sha256sum", "--quiet", "--check", "SHA256SUMS")
}

// TestVersion: the program says which version it is, and of which commit.
func TestVersion(t *testing.T) {
	said := command(t, t.TempDir(), unpacked(t), "version")
	head := strings.TrimSpace(command(t, "..", "git", "rev-parse", "HEAD"))
	if !strings.Contains(said, testVersion) || !strings.Contains(said, head[:7]) {
		t.Errorf("version says %q; the commit is %s", said, head)
	}
	info, err := buildinfo.ReadFile(unpacked(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" && s.Value != "0" || s.Key == "-trimpath" && s.Value != "true" {
			t.Errorf("built with %s=%s", s.Key, s.Value)
		}
	}
}

// unpacked unpacks the archive for this machine, and returns the path of the program.
func unpacked(t *testing.T) string {
	t.Helper()
	r := release{options: options{version: testVersion}}
	here := target{runtime.GOOS, runtime.GOARCH}
	if here.os == "windows" {
		t.Skip("NOT RUN: the archive is unpacked with tar")
	}
	dir := t.TempDir()
	command(t, dir, "tar", "-xzf", filepath.Join(dist(t), r.archiveFile(here)))
	for _, name := range []string{"LICENSE", "THIRD-PARTY-LICENSES", "man/emend.1", "man/emend-apply.1", "completions/_emend"} {
		if _, err := os.Stat(filepath.Join(dir, r.archiveName(here), name)); err != nil {
			t.Error(err)
		}
	}
	return filepath.Join(dir, r.archiveName(here), here.program())
}

// TestServerJSON validates the entry for the registry against its published schema.
func TestServerJSON(t *testing.T) {
	text, err := os.ReadFile("testdata/server/server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dist(t), "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Error(err)
	}
	delete(v, "version")
	if resolved.Validate(v) == nil {
		t.Error("the schema takes an entry without a version")
	}
}

// TestSkillIsShort: the skill for models stays below 400 tokens, counted as four characters each, which is more than there are.
func TestSkillIsShort(t *testing.T) {
	data, err := filesFS.ReadFile("files/claude-code/skills/emend/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "---\n")
	if n := len(body) / 4; n >= 400 {
		t.Errorf("%d tokens", n)
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                  "Apache-2.0",
		"Permission is hereby granted, free\nof charge, to any person":                                  "MIT",
		"Redistributions in binary form must reproduce the above copyright":                             "BSD-2-Clause",
		"Redistributions in binary form must reproduce ... may be used to endorse or\npromote products": "BSD-3-Clause",
		"All rights reserved.": "",
	} {
		if got := identify(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, bad := range [][]string{{}, {"-version", "1.2"}, {"-version", "1.2.3", "-targets", "plan9/386"}, {"-version", "1.2.3", "x"}} {
		if _, err := parseFlags(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	o, err := parseFlags([]string{"-version", "v1.2.3", "-targets", "windows/amd64,linux/386"})
	if err != nil || o.version != "1.2.3" || len(o.targets) != 2 || o.targets[0] != (target{"linux", "386"}) {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestNothingIsOverwritten: a directory that has something in it is refused.
func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), options{version: "1.2.3", out: dir}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("err = %v", err)
	}
}

// command runs a command, and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	return commandEnv(t, dir, nil, name, args...)
}

// commandEnv runs a command with more in its environment.
func commandEnv(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}
