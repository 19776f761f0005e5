package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/emend-dev/emend"

	"github.com/emend-dev/emend/hub/wire"
)

// Publish takes a policy pack into the hub, so that it can be rolled out. It must be signed by the key that the hub was given, parse, and be newer
// than the last of its name. The workspaces check all of that again, by the key that they pinned.
func (c *Control) Publish(ctx context.Context, who Person, signed *wire.SignedPack) (*wire.Pack, error) {
	if c.o.PolicyKey == "" {
		return nil, errors.New("this hub takes no policy packs: it was started without --policy-key")
	}
	p, err := signed.Open(c.o.PolicyKey)
	if err != nil {
		return nil, err
	}
	if err := checkPolicy(p.Policy); err != nil {
		return nil, fmt.Errorf("the policy of %s: %w", p.ID(), err)
	}
	_, err = c.act(ctx, who, func(s *state) (*Act, error) {
		if !who.May(Admin) || len(who.Labels) > 0 {
			return nil, ErrRole
		}
		for i := range s.packs {
			if s.packs[i].Name != p.Name {
				continue
			}
			if err := p.Replaces(new(s.packs[i].ID()), p.Name); err != nil {
				return nil, err
			}
		}
		return &Act{Kind: ActPublish, Pack: &wire.SignedPack{Pack: signed.Pack, Key: c.o.PolicyKey, Sig: signed.Sig}, Text: p.ID().String()}, nil
	})
	return p, err
}

// checkPolicy reports whether emend can read a policy.
func checkPolicy(text string) error {
	dir, err := os.MkdirTemp("", "emend-policy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, file := filepath.Join(dir, "root"), filepath.Join(dir, "policy.toml")
	if err := errors.Join(os.Mkdir(root, 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		return err
	}
	w, err := emend.Open(root, emend.Policy(file))
	if err != nil {
		return err
	}
	return w.Close()
}

// Packs lists the published packs, the newest first.
func (c *Control) Packs(ctx context.Context) (out []Pack, err error) {
	err = c.look(ctx, func(s *state) { out = slices.Clone(s.packs) })
	slices.Reverse(out)
	return out, err
}

// Rollouts lists which pack each label gets, in the order in which it was decided. Of those that a workspace meets, the newest counts.
func (c *Control) Rollouts(ctx context.Context) (out []Act, err error) {
	err = c.look(ctx, func(s *state) {
		for _, a := range s.rollouts {
			out = append(out, a)
		}
	})
	slices.SortFunc(out, func(a, b Act) int { return int(a.Seq) - int(b.Seq) })
	return out, err
}

// RollOut gives the workspaces with a label a published pack; those that are not there get it when they come back. An older version than the last
// one of a label is refused: sign the old policy as a new version.
func (c *Control) RollOut(ctx context.Context, who Person, r Rollout) ([]Result, error) {
	a, err := c.act(ctx, who, func(s *state) (*Act, error) {
		if !who.May(Admin) || len(who.Labels) > 0 {
			return nil, ErrRole
		}
		p := s.pack(r.Pack)
		if p == nil {
			return nil, fmt.Errorf("no pack %s was published", r.Pack)
		}
		r.Pack = p.ID()
		if last, ok := s.rollouts[r.Label]; ok && last.Rollout.Pack.Name == r.Pack.Name && last.Rollout.Pack.Version > r.Pack.Version {
			return nil, fmt.Errorf("%s is older than what the label has, %s: workspaces would refuse it; sign the old policy as a new version", r.Pack, last.Rollout.Pack)
		}
		return &Act{Kind: ActRollout, Rollout: &r}, nil
	})
	if err != nil {
		return nil, err
	}
	return c.bring(ctx, a, func(m *wire.Member) bool { return r.Label == "" || slices.Contains(m.Labels, r.Label) }), nil
}

func (s *state) pack(n wire.PackName) *Pack {
	for i := range s.packs {
		if s.packs[i].Name == n.Name && s.packs[i].Version == n.Version {
			return &s.packs[i]
		}
	}
	return nil
}

// wanted returns the pack that a workspace should have; nil for none.
func (s *state) wanted(m *wire.Member) *Pack {
	var newest Act
	for label, a := range s.rollouts {
		if a.Seq > newest.Seq && (label == "" || slices.Contains(m.Labels, label)) {
			newest = a
		}
	}
	if newest.Rollout == nil {
		return nil
	}
	return s.pack(newest.Rollout.Pack)
}

// WantedPacks returns the pack that each workspace should have; nil for none.
func (c *Control) WantedPacks(ctx context.Context, members []wire.Member) ([]*wire.PackName, error) {
	out := make([]*wire.PackName, len(members))
	err := c.look(ctx, func(s *state) {
		for i := range members {
			if p := s.wanted(&members[i]); p != nil {
				out[i] = new(p.ID())
			}
		}
	})
	return out, err
}
