// Package seal makes tickets that this process gives out and takes back once: each is good for one thing, which its maker
// names, and for a while. Who carries a ticket can read nothing from it of what it is for, make one or change one.
//
// It knows nothing of what the things are.
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

// Why a ticket is not taken.
var (
	ErrForged  = errors.New("it was made elsewhere, or for something else")
	ErrExpired = errors.New("it has expired")
	ErrUsed    = errors.New("it was used before")
	ErrFull    = errors.New("too many were used in a short time")
)

// most is how many used tickets are remembered. Beyond it none is taken until some have expired.
const most = 1 << 16

// ticket is what is on its way.
type ticket struct {
	Version int    `json:"v"`
	Sum     string `json:"sum"` // of what it is for
	Nonce   string `json:"nonce"`
	Expires int64  `json:"expires"` // in seconds
}

// Seals makes tickets and takes them back.
type Seals struct {
	key  []byte
	good time.Duration

	mu   sync.Mutex
	used map[string]spent // by nonce
}

// spent is a ticket that was taken.
type spent struct {
	expires int64  // when it would have
	note    string // what came of it, for who sends it again
}

// New makes seals whose tickets are good for a while, in this process.
func New(good time.Duration) *Seals {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &Seals{key: key, good: good, used: map[string]spent{}}
}

// Seal makes a ticket for what the words name together.
func (s *Seals) Seal(what ...string) string {
	is := ticket{Version: 1, Sum: sum(what), Nonce: rand.Text(), Expires: time.Now().Add(s.good).Unix()}
	body, _ := json.Marshal(is) // strings and numbers
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + s.sign(text)
}

// Redeem takes a ticket for what the words name, if it is one, has not expired and was not taken before.
func (s *Seals) Redeem(state string, what ...string) error {
	text, signature, _ := strings.Cut(state, ".")
	if !hmac.Equal([]byte(signature), []byte(s.sign(text))) {
		return ErrForged
	}
	body, err := base64.RawURLEncoding.DecodeString(text)
	var is ticket
	if err != nil || json.Unmarshal(body, &is) != nil || is.Version != 1 || is.Sum != sum(what) {
		return ErrForged
	}
	now := time.Now().Unix()
	if now >= is.Expires {
		return ErrExpired
	}
	return s.use(is, now)
}

// use takes a ticket out of use.
func (s *Seals) use(is ticket, now int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for nonce, was := range s.used {
		if was.expires <= now {
			delete(s.used, nonce)
		}
	}
	if _, again := s.used[is.Nonce]; again {
		return ErrUsed
	}
	if len(s.used) >= most {
		return ErrFull
	}
	s.used[is.Nonce] = spent{expires: is.Expires}
	return nil
}

// Note keeps with a ticket that was taken what came of it: a few words, as long as it would have been good.
func (s *Seals) Note(state, note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	nonce := nonceOf(state)
	if was, ok := s.used[nonce]; ok {
		was.note = note
		s.used[nonce] = was
	}
}

// Noted is what came of a ticket of which Redeem says [ErrUsed]; "" while nothing is known.
func (s *Seals) Noted(state string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[nonceOf(state)].note
}

// nonceOf is the nonce of a ticket that Redeem has looked at.
func nonceOf(state string) string {
	text, _, _ := strings.Cut(state, ".")
	body, _ := base64.RawURLEncoding.DecodeString(text)
	var is ticket
	json.Unmarshal(body, &is) //nolint:errcheck // then it has none
	return is.Nonce
}

// Used is how many tickets are remembered.
func (s *Seals) Used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.used)
}

func (s *Seals) sign(text string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// sum is of the words one by one: what is moved from one into the next is something else.
func sum(what []string) string {
	h := sha256.New()
	for _, w := range what {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
