package browser

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictured lists the pages that docs/images has pictures of.
var pictured = []string{"timeline", "change", "change-split", "file", "session", "sessions", "trash", "waiting", "health", "confirm"}

// TestImages takes the pictures of the documentation. They are kept when EMEND_IMAGES is write:
//
//	EMEND_IMAGES=write go -C proof test -count 1 -run Images ./browser
func TestImages(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	dir, root := t.TempDir(), t.TempDir()
	if os.Getenv("EMEND_IMAGES") == "write" {
		dir, root = filepath.Join("..", "..", "docs", "images"), plainRoot(t)
	}
	b := shopAt(t, root).told(t)
	places := storyPages(b)
	for _, s := range screens {
		b.setScreen(s)
		for _, p := range places {
			if slices.Contains(pictured, p.name) {
				b.takePicture(p, filepath.Join(dir, p.name+"-"+s.name+".png"))
			}
		}
	}
}

// TestPictures takes a picture of every page in each of its states, 1,400 and 390 pixels wide, light and dark, to be looked at:
//
//	EMEND_PICTURES=/tmp/pictures go -C proof test -count 1 -run Pictures ./browser
func TestPictures(t *testing.T) {
	dir := os.Getenv("EMEND_PICTURES")
	if dir == "" {
		t.Skip("NOT RUN: EMEND_PICTURES names no directory for the pictures")
	}
	b := storyWindow(t)
	places := storyPages(b)
	for _, s := range []screen{
		{name: "light", width: 1400, height: 900}, {name: "dark", width: 1400, height: 900, dark: true},
		{name: "phone", width: 390, height: 844, phone: true}, {name: "phone-dark", width: 390, height: 844, phone: true, dark: true},
	} {
		b.setScreen(s)
		for _, p := range places {
			b.takePicture(p, filepath.Join(dir, p.name+"-"+s.name+".png"))
		}
	}
}

// plainRoot returns a directory with the same path on every machine, since pages show the path of a workspace.
func plainRoot(t *testing.T) string {
	t.Helper()
	const root = "/tmp/ada"
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatalf("the pictures are of a workspace in %s, which must not be there: %v", root, err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	return root
}

// takePicture takes the picture of a page that was just opened.
func (b *tab) takePicture(p pageState, path string) {
	b.t.Helper()
	b.show(p)
	b.until("the page is live", live)
	if p.name == "change-split" {
		b.do("scroll to the difference", evaluate(`document.querySelector("section.file").scrollIntoView()`))
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("images: %s, %d KiB", filepath.Base(path), len(png)>>10)
}
