package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHistoryBounds(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		text  string
		age   time.Duration
		bytes int64
		bad   string
	}{
		{"", 0, 0, ""},
		{"[history]\n", 0, 0, ""},
		{"[history]\nage = \"30d\"\nsize = \"2GiB\"", 30 * day, 2 << 30, ""},
		{"[history]\nage = \"12h\"\n[read]\ndeny = [\"x\"]", 12 * time.Hour, 0, ""},
		{"[history]\nage = \"any\"\nsize = \"any\"", -1, -1, ""},
		{"[history]\nage = \"30\"", 0, 0, "history.age"},
		{"[history]\nage = \"0d\"", 0, 0, "history.age"},
		{"[history]\nage = \"-1d\"", 0, 0, "history.age"},
		{"[history]\nage = \"9999999999999w\"", 0, 0, "history.age"},
		{"[history]\nsize = \"2GB\"", 0, 0, "history.size"},
		{"[history]\nsize = 2", 0, 0, "size"},
		{"[log]\nage = \"2w\"\nsize = \"1GiB\"", 14 * day, 1 << 30, ""},
		{"[log]\nage = \"any\"\n[history]\nage = \"1d\"", -1, 0, ""},
		{"[log]\nage = \"1\"", 0, 0, "log.age"},
		{"[log]\nsize = \"1GB\"", 0, 0, "log.size"},
		{"[history]\nfor = \"1d\"", 0, 0, "none of"},
	} {
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := ReadPolicy(file, t.TempDir())
		age, bytes := p.HistoryBounds()
		if strings.HasPrefix(tt.text, "[log]") {
			age, bytes = p.LogBounds()
		}
		if age != tt.age || bytes != tt.bytes || (err != nil) != (tt.bad != "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
			t.Errorf("%q: %v, %d, %v", tt.text, age, bytes, err)
		}
	}
}
