package control

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Role says what a token allows. Each role includes those before it.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"   // sees
	Approver Role = "approver" // answers, undoes, stops and resumes
	Admin    Role = "admin"    // tokens, policy, workspaces
)

var ranks = map[Role]int{Viewer: 1, Approver: 2, Admin: 3}

// ParseRole reads a role.
func ParseRole(s string) (Role, error) {
	if ranks[Role(s)] == 0 {
		return "", fmt.Errorf("%q is not one of viewer, approver, admin", s)
	}
	return Role(s), nil
}

// Token lets somebody use the hub. The secret is not kept.
type Token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // of the person or program that has it
	Role    Role      `json:"role"`
	Labels  []string  `json:"labels,omitempty"` // it is good for workspaces with one of these; none for all
	Hash    string    `json:"hash"`             // SHA-256 of the secret, which has 256 random bits
	Expires time.Time `json:"expires,omitzero"`
	Revoked bool      `json:"revoked,omitempty"`
}

// Person is somebody who uses the hub, as a token says.
type Person struct {
	Name   string   `json:"name"`
	Token  string   `json:"token,omitempty"` // its id
	Role   Role     `json:"role"`
	Labels []string `json:"labels,omitempty"`
}

// hubItself logs outcomes. Operator is who has a shell where the hub runs: who can read its files is no stranger.
var (
	hubItself = Person{Name: "hub", Role: Admin}
	Operator  = Person{Name: "operator", Role: Admin}
)

// Errors of people who may not do something.
var (
	ErrToken = errors.New("the token is not valid: it was revoked, has expired or was never issued")
	ErrRole  = errors.New("this token's role does not allow it")
	ErrLabel = errors.New("this token is not good for that workspace")
)

// May reports whether the person has a role.
func (p Person) May(r Role) bool { return ranks[p.Role] >= ranks[r] }

// Sees reports whether the token is good for workspaces with labels.
func (p Person) Sees(labels []string) bool {
	return len(p.Labels) == 0 || slices.ContainsFunc(p.Labels, func(l string) bool { return slices.Contains(labels, l) })
}

// holds reports whether a person's token is still good.
func (s *state) holds(p Person) error {
	if p.Token == "" && (p.Name == hubItself.Name || p.Name == Operator.Name) {
		return nil
	}
	if t := s.tokens[p.Token]; t == nil || t.Revoked || t.expired() || t.Role != p.Role {
		return ErrToken
	}
	return nil
}

func (t *Token) expired() bool { return !t.Expires.IsZero() && !time.Now().Before(t.Expires) }

// secretPrefix begins each secret, so that scanners of keys know it.
const secretPrefix = "emendhub_"

// Issue makes a token and returns its secret, which is nowhere else.
func (c *Control) Issue(ctx context.Context, who Person, t Token) (secret string, _ *Token, err error) {
	var b [32]byte
	rand.Read(b[:]) // never fails
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	t.Name, t.Labels = strings.TrimSpace(t.Name), cleanLabels(t.Labels)
	t.ID, t.Hash, t.Revoked = "t-"+strings.ToLower(rand.Text()[:10]), hashSecret(secret), false
	_, err = c.act(ctx, who, func(s *state) (*Act, error) {
		switch {
		case !who.May(Admin) || len(who.Labels) > 0:
			return nil, ErrRole
		case t.Name == "" || len(t.Name) > 100 || t.Name == hubItself.Name || t.Name == Operator.Name:
			return nil, errors.New("a token needs a name of its own, of at most 100 bytes: that of who has it")
		case ranks[t.Role] == 0:
			return nil, errors.New("a token needs a role: viewer, approver or admin")
		}
		return &Act{Kind: ActIssue, Token: &t}, nil
	})
	return secret, &t, err
}

// RevokeToken takes a token away, at once.
func (c *Control) RevokeToken(ctx context.Context, who Person, id string) error {
	_, err := c.act(ctx, who, func(s *state) (*Act, error) {
		switch t := s.tokens[id]; {
		case !who.May(Admin) || len(who.Labels) > 0:
			return nil, ErrRole
		case t == nil || t.Revoked:
			return nil, fmt.Errorf("there is no token %q", id)
		case s.lastAdmin(id):
			return nil, errors.New("this is the last token of an admin: issue another one first")
		}
		return &Act{Kind: ActRevoke, Revoked: id, Text: s.tokens[id].Name}, nil
	})
	return err
}

// lastAdmin reports whether no other token may issue tokens.
func (s *state) lastAdmin(id string) bool {
	for _, t := range s.tokens {
		if t.ID != id && t.isAdmin() {
			return false
		}
	}
	return s.tokens[id].isAdmin()
}

func (t *Token) isAdmin() bool {
	return t.Role == Admin && len(t.Labels) == 0 && !t.Revoked && !t.expired()
}

// Tokens lists the tokens that were not revoked, by name.
func (c *Control) Tokens(ctx context.Context) (out []Token, err error) {
	err = c.look(ctx, func(s *state) {
		for _, t := range s.tokens {
			if !t.Revoked {
				out = append(out, *t)
			}
		}
	})
	slices.SortFunc(out, func(a, b Token) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return out, err
}

// Authenticate returns who has a secret. It looks hashes up, so that the time it takes tells nothing about a secret.
func (c *Control) Authenticate(ctx context.Context, secret string) (Person, error) {
	hash := hashSecret(strings.TrimSpace(secret))
	return c.person(ctx, func(s *state) *Token { return s.tokens[s.byHash[hash]] })
}

// Holder returns who has the token with an id, if it is still good.
func (c *Control) Holder(ctx context.Context, id string) (Person, error) {
	return c.person(ctx, func(s *state) *Token { return s.tokens[id] })
}

func (c *Control) person(ctx context.Context, find func(*state) *Token) (p Person, err error) {
	lookErr := c.look(ctx, func(s *state) {
		t := find(s)
		if t == nil || t.Revoked || t.expired() {
			err = ErrToken
			return
		}
		p = Person{Name: t.Name, Token: t.ID, Role: t.Role, Labels: t.Labels}
	})
	return p, cmp.Or(lookErr, err)
}

// SignIn logs that somebody signed in at the pages.
func (c *Control) SignIn(ctx context.Context, who Person) error {
	_, err := c.act(ctx, who, func(*state) (*Act, error) { return &Act{Kind: ActSignIn}, nil })
	return err
}

// First issues a token for an admin if nobody has one, and returns its secret; "" if somebody has.
func (c *Control) First(ctx context.Context) (secret string, err error) {
	none := false
	if err := c.look(ctx, func(s *state) {
		none = true
		for _, t := range s.tokens {
			none = none && !t.isAdmin()
		}
	}); err != nil || !none {
		return "", err
	}
	secret, _, err = c.Issue(ctx, Operator, Token{Name: "admin", Role: Admin})
	return secret, err
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
