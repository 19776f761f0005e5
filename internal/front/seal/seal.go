// Package seal issues tickets to callers that cannot be trusted to carry anything else: the answer to a question, the form
// of a page. A ticket names one thing, can be redeemed once, and expires. Whoever carries a ticket cannot read what it is for,
// change it or make another.
//
// Tickets are good in the process that issued them. The package does not know what they are for.
package seal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Redeem refuses a ticket with one of these.
var (
	ErrForged  = errors.New("it was made elsewhere, or for something else")
	ErrExpired = errors.New("it has expired")
	ErrUsed    = errors.New("it was used before")
	ErrFull    = errors.New("too many were used in a short time")
)

// maxUsed limits the redeemed tickets that are remembered. At that number Redeem refuses all, until some have expired.
const maxUsed = 1 << 16

// ticket is the content of a ticket, before it is signed.
type ticket struct {
	Version int    `json:"v"`
	Sum     string `json:"sum"` // hash of what it is for
	Nonce   string `json:"nonce"`
	Expires int64  `json:"expires"` // in seconds
}

// Issuer issues and redeems tickets. It may be used by several goroutines at once.
type Issuer struct {
	key      []byte
	lifetime time.Duration

	mu   sync.Mutex
	used map[string]usedTicket // by nonce
}

// usedTicket is a ticket that was redeemed.
type usedTicket struct {
	expires int64
	note    string // the outcome, for a caller that sends the ticket again
}

// New returns an issuer whose tickets expire after lifetime.
func New(lifetime time.Duration) *Issuer {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &Issuer{key: key, lifetime: lifetime, used: map[string]usedTicket{}}
}

// Issue returns a ticket for what the words name together.
func (s *Issuer) Issue(what ...string) string {
	t := ticket{Version: 1, Sum: sum(what), Nonce: rand.Text(), Expires: time.Now().Add(s.lifetime).Unix()}
	body, _ := json.Marshal(t) // strings and numbers
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + s.sign(text)
}

// Redeem accepts a ticket that was issued for exactly these words, has not expired and was not redeemed before. Otherwise it
// returns one of the errors of this package.
func (s *Issuer) Redeem(issued string, what ...string) error {
	text, signature, _ := strings.Cut(issued, ".")
	if !hmac.Equal([]byte(signature), []byte(s.sign(text))) {
		return ErrForged
	}
	body, err := base64.RawURLEncoding.DecodeString(text)
	var t ticket
	if err != nil || json.Unmarshal(body, &t) != nil || t.Version != 1 || t.Sum != sum(what) {
		return ErrForged
	}
	now := time.Now().Unix()
	if now >= t.Expires {
		return ErrExpired
	}
	return s.use(t, now)
}

// use marks a ticket as redeemed.
func (s *Issuer) use(t ticket, now int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for nonce, was := range s.used {
		if was.expires <= now {
			delete(s.used, nonce)
		}
	}
	if _, again := s.used[t.Nonce]; again {
		return ErrUsed
	}
	if len(s.used) >= maxUsed {
		return ErrFull
	}
	s.used[t.Nonce] = usedTicket{expires: t.Expires}
	return nil
}

// SetNote keeps the outcome of a redeemed ticket until the ticket would have expired. Keep it short.
func (s *Issuer) SetNote(issued, note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	nonce := nonceOf(issued)
	if was, ok := s.used[nonce]; ok {
		was.note = note
		s.used[nonce] = was
	}
}

// Note returns the outcome of a ticket that Redeem refuses with [ErrUsed], or "" if none was set yet.
func (s *Issuer) Note(issued string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[nonceOf(issued)].note
}

// nonceOf returns the nonce of a ticket whose signature Redeem has checked.
func nonceOf(issued string) string {
	text, _, _ := strings.Cut(issued, ".")
	body, _ := base64.RawURLEncoding.DecodeString(text)
	var t ticket
	json.Unmarshal(body, &t) //nolint:errcheck // then it has none
	return t.Nonce
}

// UsedCount returns how many redeemed tickets are remembered.
func (s *Issuer) UsedCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.used)
}

func (s *Issuer) sign(text string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// sum hashes the words with their lengths, so that moving text from one word to the next gives another sum.
func sum(what []string) string {
	h := sha256.New()
	for _, w := range what {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
