package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/hub/wire"
)

// keys are the keys of a hub: the operator and the accounts of its NATS servers, and what the hub itself connects with.
type keys struct {
	dir                             string
	operator, account, system       nkeys.KeyPair
	operatorID, accountID, systemID string
	operatorJWT, systemJWT          string
	hub, admin                      user // the hub's own users in the account, and in the system account

	mu        sync.Mutex // guards claims
	claims    *jwt.AccountClaims
	suspended map[string]bool // who is over the quota
}

// user is somebody who may connect.
type user struct {
	jwt string
	key nkeys.KeyPair
}

// keyFile is stored on disk: the seeds, from which everything else is derived.
type keyFile struct {
	Operator, Account, System, Hub, Admin string
}

const keysName, accountName = "keys.json", "account.jwt"

// openKeys reads the keys in dir, or makes them.
func openKeys(dir string) (*keys, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var f keyFile
	text, err := os.ReadFile(filepath.Join(dir, keysName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f, err = newKeyFile(); err != nil {
			return nil, err
		}
		if text, err = json.MarshalIndent(f, "", "  "); err != nil {
			return nil, err
		}
		if err := writeFile(filepath.Join(dir, keysName), text, 0o600); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, keysName), err)
		}
	}
	return f.keys(dir)
}

func newKeyFile() (f keyFile, err error) {
	for _, k := range []struct {
		to   *string
		make func() (nkeys.KeyPair, error)
	}{{&f.Operator, nkeys.CreateOperator}, {&f.Account, nkeys.CreateAccount}, {&f.System, nkeys.CreateAccount}, {&f.Hub, nkeys.CreateUser}, {&f.Admin, nkeys.CreateUser}} {
		pair, err := k.make()
		if err != nil {
			return f, err
		}
		seed, err := pair.Seed()
		if err != nil {
			return f, err
		}
		*k.to = string(seed)
	}
	return f, nil
}

func (f keyFile) keys(dir string) (*keys, error) {
	k := &keys{dir: dir}
	for _, p := range []struct {
		seed string
		to   *nkeys.KeyPair
	}{{f.Operator, &k.operator}, {f.Account, &k.account}, {f.System, &k.system}, {f.Hub, &k.hub.key}, {f.Admin, &k.admin.key}} {
		pair, err := nkeys.FromSeed([]byte(p.seed))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, keysName), err)
		}
		*p.to = pair
	}
	k.operatorID, k.accountID, k.systemID = publicOf(k.operator), publicOf(k.account), publicOf(k.system)
	return k, k.sign()
}

func publicOf(k nkeys.KeyPair) string {
	p, err := k.PublicKey()
	if err != nil {
		panic(err) // a pair that was made from a seed has one
	}
	return p
}

// sign makes the claims of the operator, the accounts and the hub's users. Of the account, those that are stored count: they have
// the revocations.
func (k *keys) sign() (err error) {
	op := jwt.NewOperatorClaims(k.operatorID)
	op.Name, op.SystemAccount = "emend-hub", k.systemID
	if k.operatorJWT, err = op.Encode(k.operator); err != nil {
		return err
	}
	sys := jwt.NewAccountClaims(k.systemID)
	sys.Name = "SYS"
	if k.systemJWT, err = sys.Encode(k.operator); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(k.dir, accountName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.claims = jwt.NewAccountClaims(k.accountID)
		k.claims.Name = "emend"
		unlimited := &k.claims.Limits.JetStreamLimits
		unlimited.DiskStorage, unlimited.MemoryStorage, unlimited.Streams, unlimited.Consumer = -1, -1, -1, -1
	case err != nil:
		return err
	default:
		if k.claims, err = jwt.DecodeAccountClaims(string(text)); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(k.dir, accountName), err)
		}
	}
	all := jwt.NewUserClaims(publicOf(k.hub.key))
	all.Name = "hub"
	if k.hub.jwt, err = all.Encode(k.account); err != nil {
		return err
	}
	admin := jwt.NewUserClaims(publicOf(k.admin.key))
	admin.Name = "hub"
	k.admin.jwt, err = admin.Encode(k.system)
	return err
}

// accountJWT returns the account's claims as servers take them.
func (k *keys) accountJWT() (string, error) {
	if len(k.suspended) == 0 {
		return k.claims.Encode(k.operator)
	}
	now := *k.claims
	now.Revocations = maps.Clone(k.claims.Revocations)
	for ws := range k.suspended {
		now.RevokeAt(ws, time.Now().Add(time.Second)) // a claim has whole seconds
	}
	return now.Encode(k.operator)
}

// suspend makes the claims of some users void until they are back. It is not stored.
func (k *keys) suspend(out, back []string) (account string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.suspended == nil {
		k.suspended = map[string]bool{}
	}
	for _, ws := range out {
		k.suspended[ws] = true
	}
	for _, ws := range back {
		delete(k.suspended, ws)
	}
	if err := k.sign(); err != nil { // another process may have revoked a key
		return "", err
	}
	return k.accountJWT()
}

// isRevoked reports whether the claims of a user are void for good.
func (k *keys) isRevoked(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, is := k.claims.Revocations[id]
	return is
}

func (k *keys) suspendedNow() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.suspended))
}

// revoke makes the claims of a user void, for good, and stores that.
func (k *keys) revoke(id string) (account string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.sign(); err != nil { // another process may have revoked a key
		return "", err
	}
	k.claims.RevokeAt(id, time.Now().Add(time.Second)) // a claim has whole seconds
	if account, err = k.accountJWT(); err != nil {
		return "", err
	}
	stored, err := k.claims.Encode(k.operator)
	if err != nil {
		return "", err
	}
	return account, writeFile(filepath.Join(k.dir, accountName), []byte(stored), 0o600)
}

// workspace returns what a workspace connects with, beside its key. It may publish on its own subjects, read the last
// message there, answer what it is asked, and nothing else.
func (k *keys) workspace(id, name string) (string, error) {
	u := jwt.NewUserClaims(id)
	u.Name = name
	u.Pub.Allow.Add(wire.RecordsSubject(id), wire.DiffsSubject(id, ""), wire.ContentSubject(id, "", ""),
		wire.PresenceSubject(id), wire.QuestionSubject(id, ""), lastMessage(id))
	u.Sub.Allow.Add(wire.AskSubject(id), wire.InboxPrefix(id)+".>")
	u.Resp = &jwt.ResponsePermission{MaxMsgs: 1, Expires: wire.AskFor}
	u.Limits.Subs = 100
	return u.Encode(k.account)
}

// lastMessage returns the subject on which a workspace asks for the last message of its own records.
func lastMessage(id string) string {
	return "$JS.API.DIRECT.GET." + wire.Records + "." + wire.RecordsSubject(id)
}

// certificate reads the certificate of a hub in dir, or makes one for the names that signs itself.
func certificate(dir string, names []string) (tls.Certificate, error) {
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	c, err := tls.LoadX509KeyPair(cert, key)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1).Lsh(big.NewInt(1), 120))
	if err != nil {
		return c, err
	}
	t := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "emend-hub"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().AddDate(10, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, n := range slices.Concat([]string{"localhost", "127.0.0.1", "::1"}, names) {
		if ip := net.ParseIP(n); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else if n != "" {
			t.DNSNames = append(t.DNSNames, n)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, private.Public(), private)
	if err != nil {
		return c, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return c, err
	}
	if err := writeFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return c, err
	}
	if err := writeFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return c, err
	}
	return tls.LoadX509KeyPair(cert, key)
}

// writeFile writes a file whole or not at all.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone if all went well
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// TLSConfig returns the TLS configuration of the hub's servers.
func TLSConfig(c tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS13}
}
