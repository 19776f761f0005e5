package wire

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Pack is a policy for workspaces: the text of a policy file, with a name and a version.
type Pack struct {
	Name    string    `json:"name"`
	Version uint64    `json:"version"`
	At      time.Time `json:"at"` // when it was signed
	Policy  string    `json:"policy"`
	Note    string    `json:"note,omitempty"`
}

// PackName says which pack a workspace has.
type PackName struct {
	Name    string    `json:"name"`
	Version uint64    `json:"version"`
	At      time.Time `json:"at"`
}

func (n PackName) String() string { return fmt.Sprintf("%s version %d", n.Name, n.Version) }

// ID returns the name of the pack.
func (p *Pack) ID() PackName { return PackName{p.Name, p.Version, p.At} }

// SignedPack is a pack as it is distributed.
type SignedPack struct {
	Pack []byte `json:"pack"` // the JSON of a Pack, as it was signed
	Key  string `json:"key"`  // the public key
	Sig  []byte `json:"sig"`
}

// MaxPolicy bounds the text of a policy.
const MaxPolicy = 256 << 10

var packNames = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// IsPackName reports whether a pack may have the name: a to z, digits, and inside of it . _ -; at most 64.
func IsPackName(s string) bool { return packNames.MatchString(s) }

// packContext begins what is signed, so that a signature is good for nothing else.
const packContext = "emend policy pack v1\n"

// Sign signs a pack.
func Sign(p Pack, key ed25519.PrivateKey) (*SignedPack, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return &SignedPack{Pack: text, Key: KeyText(key.Public().(ed25519.PublicKey)), Sig: ed25519.Sign(key, append([]byte(packContext), text...))}, nil
}

// Open checks the signature against the key that the reader pinned, and returns the pack. The key in s is not trusted.
func (s *SignedPack) Open(pinned string) (*Pack, error) {
	key, err := ParseKey(pinned)
	if err != nil {
		return nil, err
	}
	if !ed25519.Verify(key, append([]byte(packContext), s.Pack...), s.Sig) {
		return nil, errors.New("the policy pack is not signed by the pinned key")
	}
	p := new(Pack)
	if err := json.Unmarshal(s.Pack, p); err != nil {
		return nil, fmt.Errorf("the policy pack cannot be read: %w", err)
	}
	return p, p.check()
}

func (p *Pack) check() error {
	switch {
	case !IsPackName(p.Name):
		return fmt.Errorf("%q cannot be the name of a policy pack: use a-z, 0-9 and . _ - inside", p.Name)
	case p.Version == 0 || p.At.IsZero():
		return errors.New("a policy pack needs a version from 1 and a time")
	case len(p.Policy) > MaxPolicy:
		return fmt.Errorf("the policy has %d bytes; at most %d", len(p.Policy), MaxPolicy)
	}
	return nil
}

// Replaces says why a pack may not follow the one that is installed; nil if it may. Version and time must both go forward, and the name stays: otherwise
// a hub could install an old policy that was signed for another time or other workspaces.
func (p *Pack) Replaces(installed *PackName, name string) error {
	switch {
	case name != "" && p.Name != name:
		return fmt.Errorf("the pack is %q, and this workspace takes %q only", p.Name, name)
	case installed == nil:
		return nil
	case p.Name != installed.Name:
		return fmt.Errorf("the pack is %q, and %q is installed", p.Name, installed.Name)
	case p.Version <= installed.Version:
		return fmt.Errorf("%s is not newer than the installed version %d", p.ID(), installed.Version)
	case !p.At.After(installed.At):
		return fmt.Errorf("%s was signed at %s, before the installed one (%s)", p.ID(), p.At.Format(time.RFC3339), installed.At.Format(time.RFC3339))
	}
	return nil
}

// KeyText writes a public key of packs as text.
func KeyText(k ed25519.PublicKey) string { return base64.RawURLEncoding.EncodeToString(k) }

// ParseKey reads what [KeyText] wrote.
func ParseKey(s string) (ed25519.PublicKey, error) {
	k, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(k) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%q is not the public key of a policy pack", s)
	}
	return k, nil
}
