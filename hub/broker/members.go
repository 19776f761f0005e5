package broker

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/emend-dev/emend/hub/wire"
)

const memberKey, inviteKey = "member.", "invite."

// ErrNotMember says that no workspace with such a name joined.
var ErrNotMember = errors.New("no workspace with this name joined")

// Members lists the workspaces that joined, by name.
func (b *Broker) Members(ctx context.Context) ([]wire.Member, error) {
	var out []wire.Member
	err := readAll(ctx, b.fleet, func(key string, data []byte) {
		var m wire.Member
		if strings.HasPrefix(key, memberKey) && json.Unmarshal(data, &m) == nil {
			out = append(out, m)
		}
	})
	slices.SortFunc(out, func(x, y wire.Member) int { return strings.Compare(x.Name, y.Name) })
	return out, err
}

// Member returns the workspace with an id.
func (b *Broker) Member(ctx context.Context, id string) (*wire.Member, error) {
	m, _, err := b.member(ctx, id)
	return m, err
}

func (b *Broker) member(ctx context.Context, id string) (*wire.Member, uint64, error) {
	if !wire.IsWorkspace(id) {
		return nil, 0, ErrNotMember
	}
	m := new(wire.Member)
	revision, err := get(ctx, b.fleet, memberKey+id, m)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, ErrNotMember
	}
	return m, revision, err
}

func get(ctx context.Context, kv jetstream.KeyValue, key string, to any) (revision uint64, err error) {
	e, err := kv.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	return e.Revision(), json.Unmarshal(e.Value(), to)
}

// put stores v if the key still has the revision; 0 for a key that is new.
func put(ctx context.Context, kv jetstream.KeyValue, key string, v any, revision uint64) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if revision == 0 {
		_, err = kv.Create(ctx, key, data)
	} else {
		_, err = kv.Update(ctx, key, data, revision)
	}
	return err
}

// SetMember changes the name and the labels of a member.
func (b *Broker) SetMember(ctx context.Context, id, name string, labels []string) error {
	m, revision, err := b.member(ctx, id)
	if err != nil {
		return err
	}
	if m.Name, m.Labels = name, labels; name == "" {
		return errors.New("a workspace needs a name")
	}
	return put(ctx, b.fleet, memberKey+id, m, revision)
}

// Revoke takes from a workspace what it connects with, for good, and ends its connections. What it sent stays.
func (b *Broker) Revoke(ctx context.Context, id, why string) error {
	m, revision, err := b.member(ctx, id)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	m.Revoked, m.Why = &now, why
	if err := put(ctx, b.fleet, memberKey+id, m, revision); err != nil {
		return err
	}
	account, err := b.keys.revoke(id)
	if err != nil {
		return err
	}
	return b.pushAccount(ctx, account)
}

// revokeAgain revokes the keys of members that are revoked and whose keys the servers would let in: the hub was killed in between, or its keys are
// from an older copy.
func (b *Broker) revokeAgain(ctx context.Context) error {
	all, err := b.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Revoked == nil || b.keys.isRevoked(m.ID) {
			continue
		}
		account, err := b.keys.revoke(m.ID)
		if err == nil {
			err = b.pushAccount(ctx, account)
		}
		if err != nil {
			return err
		}
		b.o.Log.Warn("the key of a workspace was revoked again", "workspace", m.ID)
	}
	return nil
}

// pushAccount gives the servers the account's new claims. They end the connections of keys that are revoked in it.
func (b *Broker) pushAccount(ctx context.Context, account string) error {
	nc, err := b.dial(b.keys.admin)
	if err != nil {
		return err
	}
	defer nc.Close()
	m, err := nc.RequestWithContext(ctx, "$SYS.REQ.CLAIMS.UPDATE", []byte(account))
	if err != nil {
		return fmt.Errorf("the servers did not take that a key is revoked: %w", err)
	}
	var answer struct {
		Error *struct{ Description string } `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("the servers did not take that a key is revoked: %s", answer.Error.Description)
	}
	return nil
}

// Invite makes an invitation, and returns it as the URL that a person passes on. url is where the hub's pages are: https://HOST:PORT. own says
// that they have the hub's own certificate, which the invitation then pins.
func (b *Broker) Invite(ctx context.Context, url string, own bool, i wire.Invitation) (wire.Invite, error) {
	if i.Uses < 1 || !i.Expires.After(time.Now()) {
		return wire.Invite{}, errors.New("an invitation is for one workspace or more, and expires later than now")
	}
	var secret [18]byte
	rand.Read(secret[:]) // never fails
	out := wire.Invite{URL: url, Secret: base64.RawURLEncoding.EncodeToString(secret[:])}
	if own {
		out.Pin = b.Pin()
	}
	return out, put(ctx, b.fleet, inviteKey+wire.SecretHash(out.Secret), i, 0)
}

// JoinHandler enrols workspaces: it answers a [wire.JoinRequest] that has the secret of an invitation.
func (b *Broker) JoinHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "This is where workspaces join. Give this address to \"emend-hub join\".", http.StatusMethodNotAllowed)
			return
		}
		var req wire.JoinRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&req); err != nil {
			http.Error(w, "the request cannot be read", http.StatusBadRequest)
			return
		}
		joined, err := b.enrol(r.Context(), &req)
		if refused, ok := errors.AsType[notInvited](err); ok {
			http.Error(w, string(refused), http.StatusForbidden)
			return
		}
		if err != nil {
			b.o.Log.Error("a workspace could not join", "error", err)
			http.Error(w, "the hub could not store that the workspace joined", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(joined)
	})
}

// notInvited is the error of a request that must not be granted.
type notInvited string

func (e notInvited) Error() string { return string(e) }

func (b *Broker) enrol(ctx context.Context, r *wire.JoinRequest) (*wire.Joined, error) {
	key, err := nkeys.FromPublicKey(r.Key)
	if err != nil || !wire.IsWorkspace(r.Key) || key.Verify(r.ProofOf(), r.Sig) != nil {
		return nil, notInvited("the request is not signed by the key that it names")
	}
	if age := time.Since(r.At); age > 10*time.Minute || age < -10*time.Minute {
		return nil, notInvited(fmt.Sprintf("the clocks differ: the hub has %s, the workspace %s", time.Now().UTC().Format(time.RFC3339), r.At.UTC().Format(time.RFC3339)))
	}
	var i wire.Invitation
	revision, err := get(ctx, b.fleet, inviteKey+wire.SecretHash(r.Secret), &i)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, notInvited("the hub does not know this invitation")
	}
	if err != nil {
		return nil, err
	}
	m, _, err := b.member(ctx, r.Key)
	switch {
	case errors.Is(err, ErrNotMember):
		if m, err = b.admit(ctx, r, &i, revision); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case m.Revoked != nil:
		return nil, notInvited("the key of this workspace was revoked; join again with a new one")
	case slices.Contains(b.Suspended(), r.Key):
		return nil, notInvited("this workspace sent more than the quota of the hub; try again later")
	}
	token, err := b.keys.workspace(r.Key, m.Name)
	if err != nil {
		return nil, err
	}
	return &wire.Joined{V: wire.Version, Workspace: r.Key, Name: m.Name, JWT: token, Servers: b.Servers(), CA: b.ca, HubKey: publicOf(b.keys.hub.key), PolicyKey: b.o.PolicyKey}, nil
}

// admit takes one use of an invitation and makes a member.
func (b *Broker) admit(ctx context.Context, r *wire.JoinRequest, i *wire.Invitation, revision uint64) (*wire.Member, error) {
	for ; ; time.Sleep(time.Millisecond) { // several may join at once
		if !i.Expires.After(time.Now()) {
			return nil, notInvited("the invitation expired at " + i.Expires.UTC().Format(time.RFC3339))
		}
		if i.Uses < 1 {
			return nil, notInvited("the invitation was used already")
		}
		i.Uses--
		err := put(ctx, b.fleet, inviteKey+wire.SecretHash(r.Secret), i, revision)
		if err == nil {
			break
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, err
		}
		if revision, err = get(ctx, b.fleet, inviteKey+wire.SecretHash(r.Secret), i); err != nil {
			return nil, err
		}
	}
	name := strings.ToValidUTF8(strings.Map(printable, r.Name), "")
	if len(name) > 128 {
		name = strings.ToValidUTF8(name[:128], "")
	}
	if name == "" {
		name = r.Key[:8]
	}
	m := &wire.Member{ID: r.Key, Name: name, Labels: i.Labels, Joined: time.Now().UTC(), Invite: i.Name}
	return m, put(ctx, b.fleet, memberKey+r.Key, m, 0)
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
