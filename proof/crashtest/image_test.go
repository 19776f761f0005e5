package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// An image must behave like a slice of bytes, whatever is written to it.
func TestImageIsADisk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	model := make([]byte, 10*blockSize)
	m := new(image)
	for range 2000 {
		off := rng.IntN(len(model))
		n := 1 + rng.IntN(min(3*blockSize, len(model)-off))
		if rng.IntN(3) == 0 {
			clear(model[off : off+n])
			m.zero(int64(off), int64(n))
			continue
		}
		p := bytes.Repeat([]byte{byte(rng.IntN(4))}, n)
		copy(model[off:], p)
		m.write(p, int64(off))
	}
	got := make([]byte, len(model))
	m.read(got, 0)
	if !bytes.Equal(got, model) {
		t.Fatal("the image is not what was written")
	}
	other := new(image)
	other.write(model, 0)
	if m.sum != other.sum {
		t.Error("two images with one content have two sums")
	}
	other.write([]byte{model[5] + 1}, 5)
	if m.sum == other.sum {
		t.Error("two contents have one sum")
	}
}

func TestCloneIsByItself(t *testing.T) {
	m := new(image)
	m.write([]byte("old"), 100)
	c := m.clone()
	c.write([]byte("new"), 100)
	c.zero(0, 50)
	p := make([]byte, 3)
	if m.read(p, 100); string(p) != "old" {
		t.Errorf("the first image has %q now", p)
	}
}
