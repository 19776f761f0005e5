package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestParseCalls(t *testing.T) {
	got, err := parseCalls(`% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 61.50    0.001234           1      1000           fsync
 38.50    0.000772           7       100         3 openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.002006                  1100         3 total
`)
	if want := []call{{"fsync", 1000}, {"openat", 100}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := parseCalls("strace: nothing\n"); err == nil {
		t.Errorf("no table gives %v", got)
	}
}

// TestCheck: a result that lacks a file, has another byte or one file more is no result.
func TestCheck(t *testing.T) {
	w, err := newWork(t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		spoil func(dir string) error
		good  bool
	}{
		{"as it is", func(string) error { return nil }, true},
		{"a byte", func(dir string) error { return os.WriteFile(filepath.Join(dir, "dir1/file0001.txt"), nil, 0o666) }, false},
		{"a file less", func(dir string) error { return os.Remove(filepath.Join(dir, "dir1/file0001.txt")) }, false},
		{"a file more", func(dir string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o666) }, false},
	} {
		dir, err := w.lay(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.spoil(dir); err != nil {
			t.Fatal(err)
		}
		if err := check(dir, w.old); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
