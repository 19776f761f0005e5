package control

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/emend-dev/emend/hub/wire"
)

// Invite makes an invitation for workspaces. url and own are as in [broker.Broker.Invite].
func (c *Control) Invite(ctx context.Context, who Person, url string, own bool, i wire.Invitation) (wire.Invite, error) {
	i.By, i.Labels = who.Name, cleanLabels(i.Labels)
	if _, err := c.act(ctx, who, func(*state) (*Act, error) {
		if !who.May(Admin) || len(who.Labels) > 0 {
			return nil, ErrRole
		}
		return &Act{Kind: ActInvite, Invite: &i}, nil
	}); err != nil {
		return wire.Invite{}, err
	}
	return c.b.Invite(ctx, url, own, i)
}

// SetMember changes the name and the labels of a workspace. What labels decide, it gets at once, or when it comes back.
func (c *Control) SetMember(ctx context.Context, who Person, id, name string, labels []string) error {
	name, labels = strings.TrimSpace(name), cleanLabels(labels)
	if err := c.change(ctx, who, ActMember, &wire.Member{ID: id, Name: name, Labels: labels}); err != nil {
		return err
	}
	return c.b.SetMember(ctx, id, name, labels)
}

// Expel takes from a workspace what it connects with, for good. What it sent stays.
func (c *Control) Expel(ctx context.Context, who Person, id, why string) error {
	if err := c.change(ctx, who, ActExpel, &wire.Member{ID: id, Why: why}); err != nil {
		return err
	}
	return c.b.Revoke(ctx, id, why)
}

func (c *Control) change(ctx context.Context, who Person, kind ActKind, m *wire.Member) error {
	if _, err := c.b.Member(ctx, m.ID); err != nil {
		return err
	}
	_, err := c.act(ctx, who, func(*state) (*Act, error) {
		switch {
		case !who.May(Admin) || len(who.Labels) > 0:
			return nil, ErrRole
		case kind == ActMember && (m.Name == "" || len(m.Name) > 100):
			return nil, errors.New("a workspace needs a name of at most 100 bytes")
		}
		return &Act{Kind: kind, Workspace: m.ID, Member: m}, nil
	})
	return err
}

// cleanLabels trims labels, and leaves out empty ones and repetitions.
func cleanLabels(labels []string) (out []string) {
	for _, l := range labels {
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
