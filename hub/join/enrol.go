package join

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/hub/wire"
)

// Enrol makes a key and joins a hub with an invitation. The key does not leave this program.
func Enrol(ctx context.Context, i wire.Invite, name string) (*wire.Membership, error) {
	key, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	seed, err := key.Seed()
	if err != nil {
		return nil, err
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	req := wire.JoinRequest{V: wire.Version, Secret: i.Secret, Key: public, Name: name, At: time.Now().UTC()}
	if req.Sig, err = key.Sign(req.ProofOf()); err != nil {
		return nil, err
	}
	m := &wire.Membership{V: wire.Version, Hub: i.URL, Pin: i.Pin, Seed: string(seed), Name: name}
	if err := post(ctx, i, &req, &m.Joined); err != nil {
		return nil, fmt.Errorf("cannot join the hub at %s: %w", i.URL, err)
	}
	m.Name = m.Joined.Name
	return m, nil
}

// Rejected is the error of a hub that does not want the workspace: to try again is of no use.
type Rejected struct{ Why string }

func (e *Rejected) Error() string { return e.Why }

func post(ctx context.Context, i wire.Invite, req *wire.JoinRequest, to *wire.Joined) error {
	data, err := json.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, i.URL+"/join", bytes.NewReader(data))
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: tlsConfig(i.Pin, ""), Proxy: http.ProxyFromEnvironment}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	switch {
	case answer.StatusCode >= 500:
		return errors.New(strings.TrimSpace(string(body)))
	case answer.StatusCode != http.StatusOK:
		return &Rejected{strings.TrimSpace(string(body))}
	}
	if err := json.Unmarshal(body, to); err != nil || to.Workspace != req.Key || len(to.Servers) == 0 {
		return errors.New("this is no answer of a hub")
	}
	return nil
}

// tlsConfig trusts the pinned key, or the roots in ca, or those of the system.
func tlsConfig(pin, ca string) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	switch {
	case ca != "":
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AppendCertsFromPEM([]byte(ca))
	case pin != "":
		check := wire.VerifyPin(pin)
		c.InsecureSkipVerify = true // the pin decides, also when a session is resumed
		c.VerifyConnection = func(s tls.ConnectionState) error { return check(s.PeerCertificates) }
	}
	return c
}

// Connect connects to the hub that m is of. It returns before there is a connection, and goes on trying until the connection is closed.
func Connect(m *wire.Membership, options ...nats.Option) (*nats.Conn, error) {
	key, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		return nil, fmt.Errorf("the key of the membership cannot be read: %w", err)
	}
	o := []nats.Option{nats.Name(m.Name), nats.UserJWT(func() (string, error) { return m.Joined.JWT, nil }, key.Sign),
		nats.CustomInboxPrefix(wire.InboxPrefix(m.Joined.Workspace)), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.ReconnectBufSize(-1), // what could not be sent is sent again from the log, and not from memory
		nats.Timeout(10 * time.Second), nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(2)}
	if strings.HasPrefix(m.Joined.Servers[0], "tls://") || m.Joined.CA != "" {
		o = append(o, nats.Secure(tlsConfig(m.Pin, m.Joined.CA)))
	}
	return nats.Connect(strings.Join(m.Joined.Servers, ","), append(o, options...)...)
}

// ErrNotJoined says that a directory has joined no hub.
var ErrNotJoined = errors.New("this workspace has joined no hub")

// MembershipFile returns the path of a workspace's membership. It is outside of the workspace, so that those who work in it find no key there.
func MembershipFile(root string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(dir, "emend-hub", hex.EncodeToString(sum[:8])+".json"), nil
}

// ReadMembership reads a membership; [ErrNotJoined] if there is none.
func ReadMembership(file string) (*wire.Membership, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotJoined
	}
	if err != nil {
		return nil, err
	}
	m := new(wire.Membership)
	if err := json.Unmarshal(text, m); err != nil || len(m.Joined.Servers) == 0 {
		return nil, fmt.Errorf("%s is no membership of a hub; remove it and join again", file)
	}
	return m, nil
}

// WriteMembership stores a membership, for its owner alone.
func WriteMembership(file string, m *wire.Membership) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return writeFile(file, text, 0o600)
}

// writeFile writes a file whole or not at all.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone if all went well
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
