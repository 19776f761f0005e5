package commit

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestHeldOrigin: a store whose origin cannot be read at the moment is not taken for a copy.
func TestHeldOrigin(t *testing.T) {
	place, err := Preferred(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if place, err = place.Make(); err != nil {
		t.Fatal(err)
	}
	origin := windows.StringToUTF16Ptr(filepath.Join(place.Dir, originName))
	h, err := windows.CreateFile(origin, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := place.CheckOrigin(); err == nil || strings.Contains(err.Error(), "was not made here") {
		t.Errorf("while it is held: %v", err)
	}
	if err := windows.CloseHandle(h); err != nil {
		t.Fatal(err)
	}
	if err := place.CheckOrigin(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
