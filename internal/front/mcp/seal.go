package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// ticket is what an answer is good for: one change, in one workspace, for one client.
type ticket struct {
	Digest    string `json:"digest"`
	Workspace string `json:"workspace"`
	Client    string `json:"client"`
}

// sealed is a ticket on its way through the client, which cannot read anything of the change from it, make one or change
// one.
type sealed struct {
	Version int    `json:"v"`
	Sum     string `json:"sum"` // of the ticket
	Nonce   string `json:"nonce"`
	Expires int64  `json:"expires"` // in seconds
}

// seals makes tickets that are good once, for as long as [answerTime], in this process.
type seals struct {
	key  []byte
	mu   sync.Mutex
	used map[string]int64 // by nonce, when it would expire
}

func newSeals() *seals {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return &seals{key: key, used: map[string]int64{}}
}

func (s *seals) seal(t ticket) string {
	is := sealed{Version: 1, Sum: t.sum(), Nonce: rand.Text(), Expires: time.Now().Add(answerTime).Unix()}
	body, _ := json.Marshal(is) // strings and numbers
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + s.sign(text)
}

// redeem reports whether state is a seal for t that has not expired and was not redeemed before.
func (s *seals) redeem(state string, t ticket) bool {
	text, signature, _ := strings.Cut(state, ".")
	if !hmac.Equal([]byte(signature), []byte(s.sign(text))) {
		return false
	}
	body, err := base64.RawURLEncoding.DecodeString(text)
	var is sealed
	if err != nil || json.Unmarshal(body, &is) != nil {
		return false
	}
	now := time.Now().Unix()
	return is.Version == 1 && is.Sum == t.sum() && now < is.Expires && s.use(is, now)
}

// use takes a seal out of use, and reports whether it was in use.
func (s *seals) use(is sealed, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for nonce, expires := range s.used {
		if expires <= now {
			delete(s.used, nonce)
		}
	}
	if _, again := s.used[is.Nonce]; again {
		return false
	}
	s.used[is.Nonce] = is.Expires
	return true
}

func (s *seals) sign(text string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (t ticket) sum() string {
	body, _ := json.Marshal(t) // strings
	h := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(h[:])
}
