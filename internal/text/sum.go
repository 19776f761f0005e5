package text

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"unsafe"

	"github.com/emend-dev/emend/internal/panics"
)

// Sum returns the sha256 of data in lower-case hex.
func Sum(data string) string {
	h := sha256.New()
	write(h, data)
	return hex.EncodeToString(h.Sum(nil))
}

// BareSum returns a sha256 as Sum does, if it is written as sha256:HEX, as many programs write it.
func BareSum(sum string) string { return strings.TrimPrefix(sum, "sha256:") }

// write adds data to h without copying it to a byte slice. A hash only reads what it is given, and never fails.
func write(h hash.Hash, data string) {
	h.Write(unsafe.Slice(unsafe.StringData(data), len(data)))
}

// DigestStep is the number of bytes that [Digest] hashes at a time. Below that, a second processor gains nothing.
const DigestStep = 1 << 20

// Digest computes the sha256 of a text while the text is being written. A text longer than [DigestStep] is hashed by
// a goroutine of its own, beside the writer. The zero Digest is ready to use.
type Digest struct {
	queued int // bytes handed to the goroutine
	parts  chan string
	sum    string
	work   panics.Group
}

// Written takes the text as far as it is written. Later calls must pass the same text, grown at its end.
func (d *Digest) Written(text string) {
	if len(text)-d.queued < DigestStep {
		return
	}
	if d.parts == nil {
		d.parts = make(chan string, 16)
		d.work.Go(d.run)
	}
	d.parts <- text[d.queued:]
	d.queued = len(text)
}

func (d *Digest) run() {
	defer func() {
		for range d.parts { // after a panic: the writer must not wait for room
		}
	}()
	h := sha256.New()
	for part := range d.parts {
		write(h, part)
	}
	d.sum = hex.EncodeToString(h.Sum(nil))
}

// Sum returns the sha256 of the whole text in lower-case hex. The Digest cannot be used afterwards.
func (d *Digest) Sum(text string) string {
	if d.parts == nil {
		return Sum(text)
	}
	d.parts <- text[d.queued:]
	close(d.parts)
	d.work.Wait()
	return d.sum
}
