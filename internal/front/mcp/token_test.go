package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestTokenOfMany checks that servers that start at once all get the same token, and that exactly one of them made
// it.
func TestTokenOfMany(t *testing.T) {
	for range 20 {
		file := filepath.Join(t.TempDir(), "sub", "serve.key")
		var wg sync.WaitGroup
		var tokens [16]string
		var made [16]bool
		for i := range tokens {
			wg.Go(func() {
				var err error
				if tokens[i], made[i], err = LoadToken(file); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		n := 0
		for i := range tokens {
			if tokens[i] != tokens[0] || len(tokens[i]) < len("emend_")+43 {
				t.Fatalf("%q and %q", tokens[i], tokens[0])
			}
			if made[i] {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d have made it", n)
		}
		alone(t, file)
	}
}

// alone checks that no other file is beside the file, and that nobody else can read it.
func alone(t *testing.T, file string) {
	t.Helper()
	all, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
	if is, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && is.Mode() != 0o600 {
		t.Errorf("%v %v", is.Mode(), err)
	}
}

func TestNewToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "serve.key")
	first, _, err := LoadToken(file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ReplaceToken(file)
	if err != nil || second == first {
		t.Fatalf("%q after %q: %v", second, first, err)
	}
	if now, made, err := LoadToken(file); now != second || made || err != nil {
		t.Errorf("%q %t %v", now, made, err)
	}
	alone(t, file)
}

// TestTokenRefused checks that a file that others can read, or without a token, is refused with the next step and not
// changed.
func TestTokenRefused(t *testing.T) {
	good := strings.Repeat("x", 32)
	for _, tc := range []struct {
		content string
		mode    os.FileMode
		want    string
	}{
		{good, 0o644, "can be read by others (mode 0644)"}, {good, 0o640, "can be read by others"}, {good, 0o602, "can be read by others"},
		{"", 0o600, "has no token"}, {"short", 0o600, "has no token"}, {good + "\nmore", 0o600, "has no token"}, {strings.Repeat("x", 5000), 0o600, "has no token"},
		{good, 0o600, ""}, {good + "\r\n", 0o400, ""},
	} {
		if runtime.GOOS == "windows" && tc.mode&0o077 != 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), "serve.key")
		if err := os.WriteFile(file, []byte(tc.content), tc.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, tc.mode); err != nil { // independent of the umask
			t.Fatal(err)
		}
		_, made, err := LoadToken(file)
		if made || (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%o %.20q: %t, %v; want %q", tc.mode, tc.content, made, err, tc.want)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != tc.content {
			t.Errorf("%o %.20q: %v %q", tc.mode, tc.content, err, b)
		}
	}
	if _, _, err := LoadToken(t.TempDir()); err == nil {
		t.Error("a directory is a token")
	}
}
