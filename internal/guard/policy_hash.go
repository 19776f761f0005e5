package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// PolicyHash names the rules that this guard judges by: two guards with the same rules have the same. They never change
// while it is open, so it is made once.
func (g *Guard) PolicyHash() string {
	g.hashOnce.Do(func() { g.hash = g.computePolicyHash() })
	return g.hash
}

func (g *Guard) computePolicyHash() string {
	h := sha256.New()
	for i := range builtinRules {
		r := &builtinRules[i]
		fmt.Fprintf(h, "%q %d %q\n", r.pattern, r.protects, r.except)
	}
	for _, p := range g.allow {
		fmt.Fprintf(h, "allow %q\n", p)
	}
	if g.policy != nil {
		fmt.Fprintf(h, "policy %s\n", g.policy.hash)
	}
	fmt.Fprintf(h, "follow %t depth %d\n", g.followLinks, g.maxDepth)
	return hex.EncodeToString(h.Sum(nil))
}
