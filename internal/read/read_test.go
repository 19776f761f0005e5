package read_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func hashOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// TestRead: the whole answer for every kind of content.
func TestRead(t *testing.T) {
	files := []string{
		"lf", "one\ntwo\nthree\n", "crlf", "one\r\ntwo\r\n", "cr", "one\rtwo\r", "mixed", "one\r\ntwo\nthree", "none", "one", "empty", "",
		"bom", "\uFEFFone\r\n", "bad", "a\xffb\n", "bin", "a\x00b\xff", "late", strings.Repeat("x", 8192) + "\x00\n", "uni", "日本語\nb\n",
	}
	byName := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		byName[files[i]] = files[i+1]
	}
	ws := emendtest.Workspace(t, files...)
	tests := []struct {
		in   api.ReadRequest
		want api.ReadData
		head string // of the output, between the hash and the content
	}{
		{api.ReadRequest{Path: "lf"}, api.ReadData{Content: "one\ntwo\nthree\n", StartLine: 1, EndLine: 3, LineCount: 3, NewlineStyle: "lf"}, "lines 1-3 of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", StartLine: 2, EndLine: 2}, api.ReadData{Content: "two\n", StartLine: 2, EndLine: 2, LineCount: 3, NewlineStyle: "lf"}, "lines 2-2 of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", StartLine: 3, EndLine: 9}, api.ReadData{Content: "three\n", StartLine: 3, EndLine: 3, LineCount: 3, NewlineStyle: "lf"}, "lines 3-3 of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", StartLine: 4}, api.ReadData{StartLine: 4, EndLine: 3, LineCount: 3, NewlineStyle: "lf"}, "no lines of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", StartLine: 4, EndLine: 7}, api.ReadData{StartLine: 4, EndLine: 3, LineCount: 3, NewlineStyle: "lf"}, "no lines of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", EndLine: 1}, api.ReadData{Content: "one\n", StartLine: 1, EndLine: 1, LineCount: 3, NewlineStyle: "lf"}, "lines 1-1 of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "lf", StartLine: math.MaxInt, EndLine: math.MaxInt, MaxBytes: math.MaxInt},
			api.ReadData{StartLine: math.MaxInt, EndLine: math.MaxInt - 1, LineCount: 3, NewlineStyle: "lf"}, "no lines of 3  14 bytes  lf"},
		{api.ReadRequest{Path: "crlf"}, api.ReadData{Content: "one\ntwo\n", StartLine: 1, EndLine: 2, LineCount: 2, NewlineStyle: "crlf"}, "lines 1-2 of 2  10 bytes  crlf"},
		{api.ReadRequest{Path: "cr"}, api.ReadData{Content: "one\ntwo\n", StartLine: 1, EndLine: 2, LineCount: 2, NewlineStyle: "cr"}, "lines 1-2 of 2  8 bytes  cr"},
		{api.ReadRequest{Path: "mixed"}, api.ReadData{Content: "one\ntwo\nthree", StartLine: 1, EndLine: 3, LineCount: 3, NewlineStyle: "mixed"}, "lines 1-3 of 3  14 bytes  mixed"},
		{api.ReadRequest{Path: "none"}, api.ReadData{Content: "one", StartLine: 1, EndLine: 1, LineCount: 1, NewlineStyle: "none"}, "lines 1-1 of 1  3 bytes  no newline"},
		{api.ReadRequest{Path: "empty"}, api.ReadData{StartLine: 1, EndLine: 0, NewlineStyle: "none"}, "no lines of 0  0 bytes  no newline"},
		{api.ReadRequest{Path: "bom"}, api.ReadData{Content: "one\n", StartLine: 1, EndLine: 1, LineCount: 1, NewlineStyle: "crlf", HasBOM: true}, "lines 1-1 of 1  8 bytes  crlf  with BOM"},
		{api.ReadRequest{Path: "bad"}, api.ReadData{Content: "a\uFFFDb\n", Encoding: "utf-8-invalid", StartLine: 1, EndLine: 1, LineCount: 1, NewlineStyle: "lf"},
			"lines 1-1 of 1  4 bytes  lf  not UTF-8: U+FFFD stands for a byte that edits keep but this text does not show"},
		{api.ReadRequest{Path: "bin", AllowBinary: true}, api.ReadData{ContentBase64: "YQBi/w==", Encoding: "binary", Binary: true, NewlineStyle: "none"}, "no lines  4 bytes  binary, in base64"},
		{api.ReadRequest{Path: "bin", AllowBinary: true, StartLine: 1, MaxBytes: 3}, api.ReadData{ContentBase64: "YQBi", Encoding: "binary", Binary: true, NewlineStyle: "none", Truncated: true},
			"no lines  4 bytes  binary, in base64"},
		{api.ReadRequest{Path: "late"}, api.ReadData{Content: strings.Repeat("x", 8192) + "\x00\n", StartLine: 1, EndLine: 1, LineCount: 1, NewlineStyle: "lf"}, "lines 1-1 of 1  8194 bytes  lf"},
		{api.ReadRequest{Path: "uni", MaxBytes: 8}, api.ReadData{Content: "日本", StartLine: 1, EndLine: 1, LineCount: 2, NewlineStyle: "lf", Truncated: true}, "lines 1-1 of 2  12 bytes  lf"},
		{api.ReadRequest{Path: "uni", MaxBytes: 2}, api.ReadData{StartLine: 1, EndLine: 0, LineCount: 2, NewlineStyle: "lf", Truncated: true}, "no lines of 2  12 bytes  lf"},
		{api.ReadRequest{Path: "uni", MaxBytes: 10}, api.ReadData{Content: "日本語\n", StartLine: 1, EndLine: 1, LineCount: 2, NewlineStyle: "lf", Truncated: true}, "lines 1-1 of 2  12 bytes  lf"},
		{api.ReadRequest{Path: "uni", MaxBytes: 12}, api.ReadData{Content: "日本語\nb\n", StartLine: 1, EndLine: 2, LineCount: 2, NewlineStyle: "lf"}, "lines 1-2 of 2  12 bytes  lf"},
	}
	for _, test := range tests {
		test.want.Path, test.want.Sha256, test.want.SizeBytes = test.in.Path, hashOf(byName[test.in.Path]), int64(len(byName[test.in.Path]))
		if test.want.Encoding == "" {
			test.want.Encoding = "utf-8"
		}
		a, err := ws.Read(t.Context(), test.in)
		if err != nil {
			t.Errorf("%+v: %v", test.in, err)
			continue
		}
		if a.Data != test.want {
			t.Errorf("%+v:\ngot  %+v\nwant %+v", test.in, a.Data, test.want)
		}
		head := test.in.Path + "  sha256 " + test.want.Sha256 + "  " + test.head + "\n"
		content := test.want.Content + test.want.ContentBase64
		if out := a.Result().Text(); out != head+content && !(test.want.Truncated && strings.HasPrefix(out, head+content)) {
			t.Errorf("%+v: %q", test.in, out)
		}
	}
}

// TestReadOn: following the hints of truncated answers reads the whole file.
func TestReadOn(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		text.WriteString(strings.Repeat("é", i%7) + "\n")
	}
	ws := emendtest.Workspace(t, "f", text.String(), "long", strings.Repeat("x", 50)+"\ny\n")
	var got strings.Builder
	for line, calls := 1, 0; ; calls++ {
		a, err := ws.Read(t.Context(), api.ReadRequest{Path: "f", StartLine: line, MaxBytes: 101})
		if err != nil || calls > 500 {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		out := a.Result().Text()
		if !a.Data.Truncated {
			got.WriteString(a.Data.Content)
			break
		}
		_, after, ok := strings.Cut(out, "read on with startLine ")
		if !ok {
			t.Fatalf("%q", out)
		}
		var next int
		if err := json.Unmarshal([]byte(after), &next); err != nil || next <= line {
			t.Fatalf("next is %q after line %d", after, line)
		}
		for _, l := range strings.SplitAfter(a.Data.Content, "\n")[:next-line] {
			got.WriteString(l)
		}
		line = next
	}
	if got.String() != text.String() {
		t.Errorf("read on to %d bytes of %d", len(got.String()), text.Len())
	}
	a, err := ws.Read(t.Context(), api.ReadRequest{Path: "long", MaxBytes: 10})
	if err != nil || !strings.HasSuffix(a.Result().Text(), "\nxxxxxxxxxx\n… cut after 10 bytes at line 1; that line is longer: read it with a larger maxBytes") {
		t.Errorf("%q, %v", a.Result().Text(), err)
	}
}

// TestReadRefused: the kind, the reason, what the message names and what the hint says.
func TestReadRefused(t *testing.T) {
	ws := emendtest.Workspace(t, "main.go", "x\n", "d/f", "x", "bin", "\x00", ".env", "SECRET=1", ".envx", "")
	dir := ws.Root()
	for name, target := range map[string]string{"inside": "d/f", "out": "../x", "secret": ".env", "gone": "nothing"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		in         api.ReadRequest
		kind       fail.Kind
		reason     string
		says, hint string
	}{
		{api.ReadRequest{Path: "main.go", StartLine: -3}, fail.CommandFailed, "bad_arguments", "startLine is -3", "from 1"},
		{api.ReadRequest{Path: "main.go", EndLine: -1}, fail.CommandFailed, "bad_arguments", "endLine is -1", "from 1"},
		{api.ReadRequest{Path: "main.go", StartLine: 5, EndLine: 4}, fail.CommandFailed, "bad_arguments", "endLine is 4", "--start is 5"},
		{api.ReadRequest{Path: "main.go", MaxBytes: -1}, fail.CommandFailed, "bad_arguments", "maxBytes is -1", "262144"},
		{api.ReadRequest{Path: ""}, fail.CommandFailed, "bad_arguments", "empty", "Name a file"},
		{api.ReadRequest{Path: "mian.go"}, fail.NotFound, "", "mian.go: no such file", `"main.go"`},
		{api.ReadRequest{Path: "d/g.txt"}, fail.NotFound, "", "no such file", "list the directory"},
		{api.ReadRequest{Path: "no/such"}, fail.NotFound, "", `no such directory "no"`, "list the directory"},
		{api.ReadRequest{Path: "main.go/x"}, fail.NotFound, "", "not a directory", "directories"},
		{api.ReadRequest{Path: "d"}, fail.NotFound, "", "is a directory", "List the directory"},
		{api.ReadRequest{Path: "."}, fail.NotFound, "", "is a directory", "List the directory"},
		{api.ReadRequest{Path: "bin"}, fail.BinaryFile, "", "binary", "--binary"},
		{api.ReadRequest{Path: "bin", AllowBinary: true, StartLine: 2}, fail.CommandFailed, "bad_arguments", "no lines", "--start"},
		{api.ReadRequest{Path: ".env"}, fail.PermissionDenied, "", "protected from reading", "--allow-protected"},
		{api.ReadRequest{Path: ".env.none"}, fail.PermissionDenied, "", "protected from reading", "--allow-protected"},
		{api.ReadRequest{Path: "secret"}, fail.PermissionDenied, "", "protected from reading", "--allow-protected"},
		{api.ReadRequest{Path: "../x"}, fail.OutsideWorkspace, "", "leaves the workspace", "inside"},
		{api.ReadRequest{Path: "out"}, fail.OutsideWorkspace, "", "", "inside"},
		{api.ReadRequest{Path: "gone"}, fail.NotFound, "", `the link leads to "nothing"`, "list the directory"},
		{api.ReadRequest{Path: filepath.ToSlash(filepath.Join(dir, "main.go"))}, fail.CommandFailed, "absolute_path", "absolute", `Write "main.go"`},
	}
	for _, test := range tests {
		_, err := ws.Read(t.Context(), test.in)
		r, ok := errors.AsType[*emend.Refusal](err)
		if !ok {
			t.Errorf("%+v: %v", test.in, err)
			continue
		}
		e := r.Failures[0]
		if e.Kind != test.kind || e.Reason != test.reason || !strings.Contains(e.Error(), test.says) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%+v: %s/%s %q, hint %q", test.in, e.Kind, e.Reason, e.Error(), e.Hint)
		}
		if strings.Contains(e.Error()+e.Hint, ".envx") {
			t.Errorf("%+v names a protected file: %q", test.in, e.Hint)
		}
		if !strings.HasPrefix(r.Result().Text(), "Cannot do this.\n") || !strings.Contains(r.Result().Text(), "\n  next: ") {
			t.Errorf("%+v: %q", test.in, r.Result().Text())
		}
	}
	a, err := ws.Read(t.Context(), api.ReadRequest{Path: "inside"})
	if err != nil || a.Data.Path != "d/f" || !strings.Contains(a.Result().Text(), "through the link inside") {
		t.Errorf("a link inside: %+v, %v", a, err)
	}
}

func TestReadIsCancelled(t *testing.T) {
	ws := emendtest.Workspace(t, "f", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ws.Read(ctx, api.ReadRequest{Path: "f"})
	if e, ok := errors.AsType[*fail.Error](err); !ok || e.Reason != "cancelled" || !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// TestReadHuge: a slice of a file costs no more memory than the slice, whatever the size of the file; 512 MiB here, and
// 10 GB with EMEND_READ_HUGE=10000000000. The file is a hole after its first lines, one line of NULs.
func TestReadHuge(t *testing.T) {
	size := int64(512 << 20)
	if s := os.Getenv("EMEND_READ_HUGE"); s != "" {
		if err := json.Unmarshal([]byte(s), &size); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		size = 16 << 20
	}
	head := strings.Repeat("a line of text\n", 1000)
	ws := emendtest.Workspace(t, "huge", head, "small", "x\n")
	file := filepath.Join(ws.Root(), "huge")
	if err := os.Truncate(file, size); err != nil {
		t.Skipf("no sparse file of %d bytes here: %v", size, err)
	}
	if _, err := ws.Read(t.Context(), api.ReadRequest{Path: "small"}); err != nil { // makes what is made once: patterns, buffers
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := ws.Read(t.Context(), api.ReadRequest{Path: "huge", StartLine: 5, EndLine: 10})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	want := api.ReadData{Path: "huge", Content: strings.Repeat("a line of text\n", 6), Encoding: "utf-8", StartLine: 5, EndLine: 10,
		LineCount: 1001, SizeBytes: size, Sha256: hashOfFile(t, file), NewlineStyle: "lf"}
	if a.Data != want {
		t.Errorf("got  %+v\nwant %+v", a.Data, want)
	}
	// TotalAlloc counts freed memory too. The promise is 32 MiB.
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("a file of %d bytes took %d bytes of memory", size, got)
	}
}

func hashOfFile(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestReadBinaryWhole(t *testing.T) {
	data := strings.Repeat("\x00\xff\r\n", 100_000)
	ws := emendtest.Workspace(t, "b", data)
	a, err := ws.Read(t.Context(), api.ReadRequest{Path: "b", AllowBinary: true, MaxBytes: 1 << 20})
	if err != nil || a.Data.ContentBase64 != base64.StdEncoding.EncodeToString([]byte(data)) || a.Data.Truncated {
		t.Errorf("%d of %d bytes in base64, %v", len(a.Data.ContentBase64), len(data), err)
	}
}
