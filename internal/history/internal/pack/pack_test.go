package pack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// lines makes a text of n random lines.
func lines(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for range n {
		fmt.Fprintf(&b, "%x %x\n", r.Uint64(), r.Uint64())
	}
	return b.Bytes()
}

// edited replaces one line of a text.
func edited(r *rand.Rand, text []byte) []byte {
	all := bytes.SplitAfter(text, []byte("\n"))
	all[r.IntN(len(all))] = fmt.Appendf(nil, "line %x\n", r.Uint64())
	return bytes.Join(all, nil)
}

// versions makes n versions of a text.
func versions(r *rand.Rand, n, size int) [][]byte {
	out := [][]byte{lines(r, size)}
	for len(out) < n {
		out = append(out, edited(r, out[len(out)-1]))
	}
	return out
}

func build(t testing.TB, contents map[string][]byte) []byte {
	t.Helper()
	var b Builder
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range contents {
			if !yield(name) {
				return
			}
		}
	}) {
		b.Add(Entry{Name: name, Mode: 0o640, UID: 7, GID: 8, Ino: 9, ModTime: time.Unix(1e9, 5)}, contents[name])
	}
	return finish(t, &b)
}

func finish(t testing.TB, b *Builder) []byte {
	t.Helper()
	file, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// read returns all contents of a pack; those that cannot be read are missing.
func read(file []byte) (map[string][]byte, error) {
	r := bytes.NewReader(file)
	p, err := Read(r, r.Size())
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	at, raw, rerr := -1, []byte(nil), error(nil)
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Frame() != at {
			at = e.Frame()
			raw, rerr = p.ReadFrame(r, at)
		}
		rerr := rerr
		if rerr == nil {
			out[e.Name], rerr = e.Content(raw)
		}
		err = errors.Join(err, rerr)
	}
	return out, err
}

func same(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for name, c := range want {
		if !bytes.Equal(got[name], c) {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d contents, want %d", len(got), len(want))
	}
}

// What is packed comes out, with its description, and versions of a file take little more than what differs.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	want := map[string][]byte{"empty": nil, "one": {0}, "run": bytes.Repeat([]byte("ab"), 1<<20), "large": lines(r, 60_000)}
	size := 0
	for i, v := range versions(r, 300, 1500) {
		want[fmt.Sprintf("v%03d", i)] = v
		size += len(v)
	}
	file := build(t, want)
	got, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	p, _ := Read(bytes.NewReader(file), int64(len(file)))
	stored := int64(0)
	for _, e := range p.Entries {
		if e.Mode != 0o640 || e.UID != 7 || e.GID != 8 || e.Ino != 9 || !e.ModTime.Equal(time.Unix(1e9, 5)) || e.Size != int64(len(want[e.Name])) {
			t.Errorf("%+v", e)
		}
		if strings.HasPrefix(e.Name, "v") {
			stored += e.Stored
		}
	}
	if stored > int64(size)/20 {
		t.Errorf("%d versions of %d bytes take %d", 300, size, stored)
	}
}

// No byte of a pack can change, and no end of it be missing, so that other bytes are read.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	want := map[string][]byte{"e": nil}
	for i, v := range versions(r, 5, 6) {
		want[fmt.Sprint("v", i)] = v
	}
	file := build(t, want)
	check := func(what string, file []byte) {
		got, err := read(file)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		for name, c := range got {
			if c != nil && !bytes.Equal(c, want[name]) {
				t.Errorf("%s: %s has other bytes", what, name)
			}
		}
	}
	for i := range file {
		for _, change := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(file)
			bad[i] ^= change
			check(fmt.Sprintf("byte %d of %d", i, len(file)), bad)
		}
		check(fmt.Sprintf("the first %d bytes", i), file[:i])
	}
	check("a byte more", append(slices.Clone(file), 0))
}

// Taking some contents out of packs leaves the others, and no byte of what is gone.
func TestTake(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		want, gone := map[string][]byte{}, [][]byte{}
		files := [][]byte{}
		for k := range 2 {
			all := map[string][]byte{}
			for i, v := range versions(r, 1+r.IntN(20), 1+r.IntN(400)) {
				secret := fmt.Appendf(nil, "secret %d %d %x\n", k, i, r.Uint64())
				name := fmt.Sprintf("%d.%d", k, i)
				all[name] = append(v, secret...)
				if r.IntN(3) > 0 {
					want[name] = all[name]
				} else {
					gone = append(gone, secret)
				}
			}
			files = append(files, build(t, all))
		}
		var b Builder
		for k, file := range files {
			p, err := Read(bytes.NewReader(file), int64(len(file)))
			if err == nil {
				err = b.Take(p, bytes.NewReader(file), fmt.Sprint("pack", k), func(e *Entry) bool { return want[e.Name] != nil })
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		file := finish(t, &b)
		got, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		p, _ := Read(bytes.NewReader(file), int64(len(file)))
		if !slices.Equal(p.Replaces, []string{"pack0", "pack1"}) {
			t.Errorf("it replaces %q", p.Replaces)
		}
		var all []byte
		for n := range p.frames {
			raw, err := p.ReadFrame(bytes.NewReader(file), n)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, raw...)
		}
		for _, secret := range gone {
			if bytes.Contains(all, secret) {
				t.Errorf("%q is still there", secret)
			}
		}
	}
}

// Any contents come out as they went in, whatever they have in common.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("one"), []byte("two"), 3)
	f.Add(bytes.Repeat([]byte("x"), 100), bytes.Repeat([]byte("x"), 101), 33)
	f.Fuzz(func(t *testing.T, a, b []byte, n int) {
		cut := 0
		if len(a) > 0 {
			cut = int(uint(n) % uint(len(a)))
		}
		want := map[string][]byte{"a": a, "b": b, "c": slices.Concat(a[cut:], b, a[:cut]), "d": slices.Concat(b, a, b)}
		got, err := read(build(t, want))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	})
}

// A pack that anybody wrote is read or refused, whatever it has.
func FuzzRead(f *testing.F) {
	file := build(f, map[string][]byte{"a": []byte("one\n"), "b": bytes.Repeat([]byte("two\n"), 100)})
	p, _ := Read(bytes.NewReader(file), int64(len(file)))
	f.Add(p.appendIndex(nil), []byte("steps"), int64(5))
	f.Fuzz(func(t *testing.T, index, steps []byte, size int64) {
		if out, err := decode(steps, min(max(size, 0), 1<<16)); err == nil && int64(len(out)) != min(max(size, 0), 1<<16) {
			t.Errorf("%d bytes, want %d", len(out), size)
		}
		if p, err := parse(index); err == nil {
			p.sound(int64(len(index)))
		}
		sum := sha256.Sum256(index)
		_ = sum
	})
}

func BenchmarkBuild(b *testing.B) {
	all := versions(rand.New(rand.NewPCG(4, 4)), 256, 1500)
	size := 0
	for _, v := range all {
		size += len(v)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		var k Builder
		for i, v := range all {
			k.Add(Entry{Name: fmt.Sprint(i)}, v)
		}
		b.ReportMetric(float64(len(finish(b, &k))), "bytes")
	}
}
