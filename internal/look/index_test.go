package look

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"reflect"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
)

func sampleIndex() *index {
	return &index{at: time.Unix(0, 1_700_000_000_123_456_789), head: audit.Head{Seq: 7, H: "hash"}, next: 300, files: []file{
		{path: "", mode: fs.ModeDir | 0o755},
		{path: "a", mode: 0o644, size: 1 << 40, mtime: -5, ctime: 1 << 62, ino: 1<<64 - 1, sum: string(bytes.Repeat([]byte{0xff}, 32)), blob: "blob", copy: 299, flags: fresh | linked},
		{path: "a/ü\n\xff", mode: fs.ModeSymlink | 0o777, link: "../x"},
		{path: "ab", mode: fs.ModeDir | 0o700, flags: unentered},
		{path: "pipe", mode: fs.ModeNamedPipe | 0o600},
	}}
}

func TestIndex(t *testing.T) {
	want := sampleIndex()
	got, err := decodeIndex(want.encode())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v, want %+v", err, got, want)
	}
}

// TestIndexDamaged: an index that was cut off, or of which one byte is another, is no index.
func TestIndexDamaged(t *testing.T) {
	whole := sampleIndex().encode()
	for i := range whole {
		if _, err := decodeIndex(whole[:i]); !errors.Is(err, errIndex) {
			t.Fatalf("cut off at %d: %v", i, err)
		}
		spoiled := bytes.Clone(whole)
		spoiled[i] ^= 0x40
		if _, err := decodeIndex(spoiled); !errors.Is(err, errIndex) {
			t.Fatalf("another byte at %d: %v", i, err)
		}
	}
}

// FuzzIndex: whatever a file has behind a right checksum, it is read without a panic, and what is read can be written and read again.
func FuzzIndex(f *testing.F) {
	whole := sampleIndex().encode()
	f.Add(whole[len(magic) : len(whole)-4])
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 1, 5, 0, 0, 0, 0}) // has more in common with the path before it than that has
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(magic), body...)
		x, err := decodeIndex(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, checksums)))
		if err != nil {
			if !errors.Is(err, errIndex) {
				t.Fatal(err)
			}
			return
		}
		again, err := decodeIndex(x.encode())
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Fatalf("%v: %+v, was %+v", err, again, x)
		}
	})
}
