package mcp

import "github.com/emend-dev/emend/internal/front/seal"

// ticket is what an answer is good for: one change, in one workspace, for one client.
type ticket struct{ Digest, Workspace, Client string }

// seals makes tickets that go through the client, and are good once, for as long as [answerTime].
type seals struct{ *seal.Seals }

func newSeals() *seals { return &seals{seal.New(answerTime)} }

func (s *seals) seal(t ticket) string { return s.Seal(t.Digest, t.Workspace, t.Client) }

// redeem reports whether state is a seal for t that has not expired and was not redeemed before.
func (s *seals) redeem(state string, t ticket) bool {
	return s.Redeem(state, t.Digest, t.Workspace, t.Client) == nil
}
