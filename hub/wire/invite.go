package wire

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Invitation is kept by the hub. It has the hash of the secret, and not the secret.
type Invitation struct {
	Name    string    `json:"name"`
	Labels  []string  `json:"labels,omitempty"`
	Expires time.Time `json:"expires"`
	Uses    int       `json:"uses"` // how many workspaces may still join with it
	By      string    `json:"by,omitempty"`
}

// Invite is an invitation as a person passes it on: where the hub is, which certificate it has, and a secret.
type Invite struct {
	URL    string // https://HOST:PORT
	Pin    string // of the certificate, see [PinOf]; "" if the system's roots decide
	Secret string
}

// String returns the invitation as one URL. Its secret is in the fragment, which no client sends to a server by mistake.
func (i Invite) String() string {
	s := i.URL + "/join#" + i.Secret
	if i.Pin != "" {
		s += "." + i.Pin
	}
	return s
}

// ParseInvite reads what [Invite.String] wrote.
func ParseInvite(s string) (Invite, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return Invite{}, errors.New("not an invitation: it cannot be read as a URL")
	}
	secret, pin, _ := strings.Cut(u.Fragment, ".")
	if u.Scheme != "https" || u.Host == "" || len(secret) < 20 {
		return Invite{}, errors.New(`not an invitation: it looks like https://HOST:PORT/join#SECRET; "emend-hub invite" prints one`)
	}
	return Invite{URL: "https://" + u.Host, Pin: pin, Secret: secret}, nil
}

// PinOf names the key of a certificate: the SHA-256 of its public key, in base64.
func PinOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// VerifyPin returns a check for [tls.Config.VerifyConnection] and the like: the first certificate must have the pinned key.
func VerifyPin(pin string) func(certs []*x509.Certificate) error {
	return func(certs []*x509.Certificate) error {
		if len(certs) == 0 || PinOf(certs[0]) != pin {
			return fmt.Errorf("the hub has another certificate than the one in the invitation; its key must be %s", pin)
		}
		return nil
	}
}

// SecretHash returns the hash of a secret that the hub keeps.
func SecretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// JoinRequest is posted to a hub's /join by a workspace that made a key of its own. The private key stays there.
type JoinRequest struct {
	V      int       `json:"v"`
	Secret string    `json:"secret"`
	Key    string    `json:"key"` // the public key; it names the workspace from now on
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Sig    []byte    `json:"sig"` // by the key, of ProofOf: who asks has it
}

// ProofOf returns the bytes that a workspace signs to show that it has the key.
func (r *JoinRequest) ProofOf() []byte {
	return []byte("emend join v1\n" + SecretHash(r.Secret) + "\n" + r.Key + "\n" + r.At.UTC().Format(time.RFC3339Nano))
}

// Joined is the answer: with it and its key a workspace can connect.
type Joined struct {
	V         int      `json:"v"`
	Workspace string   `json:"workspace"`
	Name      string   `json:"name"` // as the hub shows it
	JWT       string   `json:"jwt"`
	Servers   []string `json:"servers"`
	CA        string   `json:"ca,omitempty"`        // PEM of the roots of a cluster's certificates; "" if the pin holds for it too
	HubKey    string   `json:"hubKey"`              // that signs what the hub asks
	PolicyKey string   `json:"policyKey,omitempty"` // that signs policy packs; pinned from now on
}

// Membership is kept by a joined workspace, in a file that only its owner may read.
type Membership struct {
	V      int    `json:"v"`
	Hub    string `json:"hub"` // URL
	Pin    string `json:"pin,omitempty"`
	Seed   string `json:"seed"` // the private key
	Name   string `json:"name"`
	Joined Joined `json:"joined"`
}
