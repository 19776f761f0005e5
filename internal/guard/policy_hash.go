package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// PolicyHash identifies the rules of this guard: two guards with the same rules have the same hash. The rules do not change
// while the guard is open, so it is computed once.
func (g *Guard) PolicyHash() string {
	g.hashOnce.Do(func() { g.hash = g.computePolicyHash() })
	return g.hash
}

func (g *Guard) computePolicyHash() string {
	h := sha256.New()
	for i := range builtinRules {
		r := &builtinRules[i]
		fmt.Fprintf(h, "%q %d %d %q\n", r.pattern, r.level, r.protects, r.except)
	}
	for i := range repositoryKinds {
		fmt.Fprintf(h, "%q %q\n", repositoryKinds[i].file, repositoryKinds[i].others)
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
