package history

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

var then = time.Date(2020, 2, 2, 3, 4, 5, 600_700, time.UTC)

func metaOf(path, text string) ArchiveMeta {
	return ArchiveMeta{ID: "20261121-131712-fzhwrn7lum.0", Path: path, DeletedAt: then, SessionID: "s", AgentName: "a", ToolName: "delete_file",
		Sha256: sum(text), SizeBytes: int64(len(text)), Mode: "0750", MTime: then}
}

// archive is an archive of one file.
func archive(t testing.TB, path, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteArchive(&b, metaOf(path, text), 0o750, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	for _, path := range []string{"a", "src/deep/a.go", "metadata.json", "metadata.json/x", "ä ö.txt", strings.Repeat("long/", 60) + "x", "-rf", "a:b"} {
		for _, text := range []string{"", "one\n", "\x00\xff\r\n", strings.Repeat("x", 5000)} {
			a, err := ReadArchive(bytes.NewReader(archive(t, path, text)), 5000)
			if err != nil {
				t.Errorf("%q: %v", path, err)
			} else if a.Path != path || a.Content != text || a.Perm != 0o750 || !a.MTime.Equal(then) || a.Sha256 != sum(text) || a.ID == "" {
				t.Errorf("%q: %+v", path, a)
			}
		}
	}
}

// tarred is a member of a hostile archive.
type tarred struct {
	tar.Header
	text string
}

func tarOf(t testing.TB, members ...tarred) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if m.Size == 0 {
			m.Size = int64(len(m.text))
		}
		if err := w.WriteHeader(&m.Header); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, m.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zip(raw ...[]byte) []byte {
	var b bytes.Buffer
	for _, r := range raw {
		z := gzip.NewWriter(&b)
		z.Write(r)
		z.Close()
	}
	return b.Bytes()
}

// meta is a metadata.json that says text, and file a regular file.
func meta(text string) tarred { return tarred{tar.Header{Name: metadataName, Mode: 0o600}, text} }
func file(name, text string) tarred {
	return tarred{tar.Header{Name: name, Mode: 0o644}, text}
}

// of is a metadata.json of a path, with what else it says.
func of(path string, more ...string) tarred {
	return meta(`{"version":1,"path":"` + path + `"` + strings.Join(more, "") + `}`)
}

func sort(flag byte, name, link string) tarred {
	return tarred{tar.Header{Typeflag: flag, Name: name, Linkname: link, Mode: 0o777}, ""}
}

// TestHostileArchives checks that each is refused, with its reason.
func TestHostileArchives(t *testing.T) {
	ok := tarOf(t, of("a"), file("a", "x"))
	huge := tarOf(t, of("a"), file("a", strings.Repeat("x", 10_000)))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "no whole tar.gz"},
		{"no gzip", []byte("hello, this is no archive"), "no whole tar.gz"},
		{"no tar", zip([]byte(strings.Repeat("hello", 500))), "no whole tar.gz"},
		{"cut short", archive(t, "a", strings.Repeat("x", 4000))[:150], "no whole tar.gz"},
		{"checksum", flip(zip(ok)), "no whole tar.gz"},
		{"empty", zip(tarOf(t)), "no metadata.json"},
		{"metadata only", zip(tarOf(t, of("a"))), "no file after metadata.json"},
		{"file first", zip(tarOf(t, file("a", "x"), of("a"))), "not metadata.json"},
		{"second file", zip(tarOf(t, of("a"), file("a", "x"), file("b", "y"))), "third member"},
		{"second file of the same name", zip(tarOf(t, of("a"), file("a", "x"), file("a", "y"))), "third member"},
		{"up", zip(tarOf(t, of("../a"), file("../a", "x"))), "plain path"},
		{"up, inside", zip(tarOf(t, of("b/../../a"), file("b/../../a", "x"))), "plain path"},
		{"dots", zip(tarOf(t, of("b/./a"), file("b/./a", "x"))), "plain path"},
		{"absolute", zip(tarOf(t, of("/etc/passwd"), file("/etc/passwd", "x"))), "plain path"},
		{"backslash", zip(tarOf(t, of(`..\\a`), file(`..\a`, "x"))), "backslash"},
		{"drive", zip(tarOf(t, of(`C:\\a`), file(`C:\a`, "x"))), "backslash"},
		{"trailing slash", zip(tarOf(t, of("a/"), file("a", "x"))), "plain path"},
		{"empty path", zip(tarOf(t, of(""), file("a", "x"))), "names no file"},
		{"the root", zip(tarOf(t, of("."), file("a", "x"))), "names no file"},
		{"no path", zip(tarOf(t, meta(`{"version":1}`), file("a", "x"))), "names no file"},
		{"control", zip(tarOf(t, of(`a\nb`), file("a\nb", "x"))), "control"},
		{"long path", zip(tarOf(t, of(strings.Repeat("a/", 3000)+"a"), file("a", "x"))), "too long"},
		{"other path", zip(tarOf(t, of("a"), file("b", "x"))), "metadata.json says"},
		{"same path, other spelling", zip(tarOf(t, of("a"), file("./a", "x"))), "metadata.json says"},
		{"link", zip(tarOf(t, of("a"), sort(tar.TypeSymlink, "a", "/etc/passwd"))), "symbolic link"},
		{"link, said", zip(tarOf(t, of("a", `,"link":"b"`), sort(tar.TypeSymlink, "a", "b"))), "symbolic link"},
		{"hard link", zip(tarOf(t, of("a"), sort(tar.TypeLink, "a", "/etc/passwd"))), "hard link"},
		{"directory", zip(tarOf(t, of("a"), sort(tar.TypeDir, "a", ""))), "directory"},
		{"FIFO", zip(tarOf(t, of("a"), sort(tar.TypeFifo, "a", ""))), "FIFO"},
		{"device", zip(tarOf(t, of("a"), sort(tar.TypeChar, "a", ""))), "device"},
		{"block device", zip(tarOf(t, of("a"), sort(tar.TypeBlock, "a", ""))), "device"},
		{"metadata is a link", zip(tarOf(t, sort(tar.TypeSymlink, metadataName, "/etc/passwd"), file("a", "x"))), "symbolic link"},
		{"global header", zip(tarOf(t, tarred{tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g", PAXRecords: map[string]string{"path": "/etc/passwd"}}, ""},
			of("a"), file("a", "x"))), "header for all"},
		{"unknown type", zip(tarOf(t, of("a"), sort('7', "a", ""))), "no regular file"},
		{"sparse", zip(gnuSparse(t)), "sparse"},
		{"old sparse", zip(oldSparse(t)), "sparse"},
		{"too large", zip(huge), "at most 1000"},
		{"size is a lie", zip(lie(t)), "no whole tar.gz"},
		{"bomb at the end", zip(append(bytes.Clone(ok), make([]byte, 32<<20)...)), "after its last member"},
		{"bomb of headers", zip(append(headers(t, 40), ok...)), "more in the archive"},
		{"garbage in the tar", zip(append(bytes.Clone(ok), "garbage"...)), "after its last member"},
		{"garbage", append(zip(ok), "garbage"...), "after the end"},
		{"zeros", append(zip(ok), 0, 0, 0), "after the end"},
		{"two members of gzip", zip(ok, ok), "after the end"},
		{"cut into two of gzip", zip(ok[:1024], ok[1024:]), "no file after"},
		{"metadata is no JSON", zip(tarOf(t, meta("hello"), file("a", "x"))), "cannot be read"},
		{"metadata is two JSONs", zip(tarOf(t, meta(`{"version":1,"path":"a"}{}`), file("a", "x"))), "cannot be read"},
		{"metadata is a list", zip(tarOf(t, meta(`[]`), file("a", "x"))), "cannot be read"},
		{"metadata is long", zip(tarOf(t, of("a", strings.Repeat(" ", 64<<10)), file("a", "x"))), "metadata.json has"},
		{"no version", zip(tarOf(t, meta(`{"path":"a"}`), file("a", "x"))), "version 0"},
		{"later version", zip(tarOf(t, meta(`{"version":2,"path":"a"}`), file("a", "x"))), "version 2"},
		{"other size", zip(tarOf(t, of("a", `,"sizeBytes":2`), file("a", "x"))), "says 2"},
		{"negative size", zip(tarOf(t, of("a", `,"sizeBytes":-1`), file("a", "x"))), "says -1"},
		{"other hash", zip(tarOf(t, of("a", `,"sha256":"`+sum("y")+`"`), file("a", "x"))), "sha256"},
		{"no hash", zip(tarOf(t, of("a", `,"sha256":"x"`), file("a", "x"))), "sha256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := ReadArchive(bytes.NewReader(tt.data), 1000)
			e, refused := errors.AsType[*BadArchive](err)
			if !refused || !strings.Contains(e.Why, tt.want) {
				t.Errorf("%v, %v; want %q", a, err, tt.want)
			}
		})
	}
	if a, err := ReadArchive(bytes.NewReader(zip(tarOf(t, of("a", `,"mode":420,"unknown":{"x":[1]},"deletedAt":"never"`), file("a", "x")))), 1000); err != nil || a.Content != "x" {
		t.Errorf("what is not known has to be ignored: %v", err)
	}
}

// flip changes the checksum at the end.
func flip(b []byte) []byte {
	b[len(b)-6] ^= 1
	return b
}

// headers are n extended headers of a megabyte for nothing.
func headers(t *testing.T, n int) []byte {
	one := tarOf(t, tarred{tar.Header{Name: "a", Format: tar.FormatPAX, PAXRecords: map[string]string{"VENDOR.x": strings.Repeat("x", 1<<20-100)}}, ""})
	one = one[:len(one)-1024-512] // without the member itself, and the end
	return bytes.Repeat(one, n)
}

// gnuSparse is an archive whose file has, in the records of its header, a map of far more than there is.
func gnuSparse(t *testing.T) []byte {
	h := tar.Header{Name: "a", Mode: 0o644, Format: tar.FormatPAX, PAXRecords: map[string]string{
		"QNU.sparse.major": "0", "QNU.sparse.minor": "1", "QNU.sparse.map": "0,1", "QNU.sparse.numblocks": "1", "QNU.sparse.size": "1000000000000"}}
	return bytes.ReplaceAll(tarOf(t, of("a"), tarred{h, "x"}), []byte("QNU.sparse"), []byte("GNU.sparse"))
}

// oldSparse is the same in the older way, by the type of the member.
func oldSparse(t *testing.T) []byte {
	b := tarOf(t, of("a"), tarred{tar.Header{Name: "a", Mode: 0o644, Format: tar.FormatGNU}, "x"})
	h := b[1024:1536]
	h[156] = tar.TypeGNUSparse
	copy(h[386:], "00000000000\x0000000000001\x00") // the map
	copy(h[483:], "00077777777\x00")                // the size that it pretends to
	check(h)
	return b
}

// lie is an archive whose file has fewer bytes than its header says.
func lie(t *testing.T) []byte {
	b := tarOf(t, of("a"), file("a", "x"))
	h := b[1024:1536]
	copy(h[124:], "00000001700\x00")
	check(h)
	return b[:1536+512]
}

// check makes the checksum of a header right.
func check(h []byte) {
	copy(h[148:156], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// TestArchiveReadsNoMore checks that endless input is read up to the limit.
func TestArchiveReadsNoMore(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"empty blocks": io.MultiReader(bytes.NewReader([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0}), forever{0, 0, 0, 0xff, 0xff}),
		"names":        io.MultiReader(bytes.NewReader([]byte{0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0}), forever{'x'}),
	} {
		c := &counted{Reader: r}
		if a, err := ReadArchive(c, 1000); err == nil || c.n > 1000+maxHeaders+1<<16 {
			t.Errorf("%s: %v, %v after %d bytes", name, a, err, c.n)
		}
	}
}

// forever repeats itself.
type forever []byte

func (f forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = f[i%len(f)]
	}
	return len(p) - len(p)%len(f), nil
}

// judged checks what ReadArchive may make of data: never more than the cap, and what it takes is a file at a plain path.
func judged(t *testing.T, data []byte) *Archived {
	const most = 1000
	c := &counted{Reader: bytes.NewReader(data)}
	a, err := ReadArchive(c, most)
	if c.n > most+maxHeaders+1<<16 {
		t.Fatalf("%d bytes were read", c.n)
	}
	if err != nil {
		if a != nil {
			t.Fatal("an archive and an error")
		}
		return nil
	}
	if !filepath.IsLocal(a.Path) || !fs.ValidPath(a.Path) || strings.Contains(a.Path, `\`) || len(a.Content) > most || a.Sha256 != sum(a.Content) {
		t.Fatalf("%+v", a)
	}
	var again bytes.Buffer
	if err := WriteArchive(&again, metaOf(a.Path, a.Content), a.Perm, strings.NewReader(a.Content)); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadArchive(&again, most); err != nil || b.Content != a.Content || b.Path != a.Path {
		t.Fatalf("%+v, %v", b, err)
	}
	return a
}

// FuzzReadArchive: any bytes, in a gzip or not, never panic.
func FuzzReadArchive(f *testing.F) {
	f.Add(archive(f, "a/b", "one\n"), true)
	f.Add(tarOf(f, of("a"), file("a", "x")), false)
	f.Fuzz(func(t *testing.T, data []byte, zipped bool) {
		if !zipped {
			data = zip(data)
		}
		judged(t, data)
	})
}

// FuzzArchiveMembers: of well-formed archives with anything in them, what is taken is what the second member has.
func FuzzArchiveMembers(f *testing.F) {
	f.Add(`{"version":1,"path":"a"}`, "a", byte('0'), "x", []byte{}, int64(0o644))
	f.Add(`{"version":1,"path":"../a","sizeBytes":1}`, "../a", byte('0'), "x", []byte{0}, int64(0o7777))
	f.Add(`{"version":1,"path":"a","link":"b"}`, "a", byte('2'), "x", []byte("x"), int64(-1))
	f.Fuzz(func(t *testing.T, said, name string, flag byte, text string, tail []byte, mode int64) {
		if flag == 0 { // the writer makes a regular file of it
			flag = tar.TypeReg
		}
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, m := range []tarred{meta(said), {tar.Header{Name: name, Typeflag: flag, Linkname: name, Mode: mode}, text}} {
			if m.Size = int64(len(m.text)); flag != tar.TypeReg && m.Name != metadataName {
				m.Size = 0
			}
			if w.WriteHeader(&m.Header) != nil {
				return
			}
			if m.Size > 0 {
				io.WriteString(w, m.text)
			}
		}
		w.Close()
		if a := judged(t, zip(append(b.Bytes(), tail...))); a != nil && (a.Path != name || a.Content != text || a.Perm&^0o777 != 0) {
			t.Fatalf("%+v of %q", a, name)
		}
	})
}
