package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"unsafe"
)

// Sum is the sha256 of data, in lower-case hex.
func Sum(data string) string {
	h := sha256.New()
	hashed(h, data)
	return hex.EncodeToString(h.Sum(nil))
}

// hashed writes data to h, which only reads it: there is no copy of it as bytes.
func hashed(h hash.Hash, data string) {
	h.Write(unsafe.Slice(unsafe.StringData(data), len(data))) // never fails
}

// summer is the sha256 of a text that is being written, made beside the writing where the text is long.
type summer struct {
	done int // how much of the text is on its way
	next chan string
	sum  chan string
}

// enough is how much is handed over at a time: below that, two processors gain nothing.
const enough = 1 << 20

// seen takes the text as far as it is written. It must not be written again from its beginning, only on.
func (s *summer) seen(text string) {
	if len(text)-s.done < enough {
		return
	}
	if s.next == nil {
		s.next, s.sum = make(chan string, 16), make(chan string, 1)
		go s.run()
	}
	s.next <- text[s.done:]
	s.done = len(text)
}

func (s *summer) run() {
	h := sha256.New()
	for part := range s.next {
		hashed(h, part)
	}
	s.sum <- hex.EncodeToString(h.Sum(nil))
}

// end is the sum of the whole text.
func (s *summer) end(text string) string {
	if s.next == nil {
		return Sum(text)
	}
	s.next <- text[s.done:]
	close(s.next)
	return <-s.sum
}
