package modpairs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Missing is a part of the corpus that could not be fetched.
type Missing struct {
	What string
	Why  error
}

// String returns one line; npm's errors are long.
func (m Missing) String() string {
	why, _, _ := strings.Cut(m.Why.Error(), "\n")
	return m.What + ": NOT RUN: " + why
}

// Corpus fetches the Go modules and the npm packages of two lists. It returns the changes between their versions that a person
// or an agent could have made, always in the same order. Without npm it returns those of the Go modules, and reports the rest
// as missing.
func Corpus(ctx context.Context, modules, packages []Version, progress io.Writer) ([]Pair, []Missing, error) {
	fmt.Fprintf(progress, "fetching %d versions of Go modules and %d of npm packages\n", len(modules), len(packages))
	trees, err := Fetch(ctx, modules)
	if err != nil {
		return nil, nil, err
	}
	var missing []Missing
	more, err := FetchPackages(ctx, packages, progress)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, ErrNotHad):
		missing = append(missing, Missing{fmt.Sprintf("%d versions of npm packages", len(packages)), err})
	case err != nil:
		return nil, nil, err
	}
	pairs, err := take(append(trees, more...))
	return pairs, missing, err
}

// take puts the changes between neighbours in trees through one sieve.
func take(trees []Tree) ([]Pair, error) {
	s := sieve{seen: map[[2][sha256.Size]byte]bool{}}
	var out []Pair
	for i := 1; i < len(trees); i++ {
		if trees[i-1].Module != trees[i].Module {
			continue
		}
		pairs, err := s.between(trees[i-1], trees[i])
		if err != nil {
			return nil, err
		}
		out = append(out, pairs...)
	}
	return out, nil
}
