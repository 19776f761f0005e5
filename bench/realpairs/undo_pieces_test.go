package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/bench/internal/modpairs"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
)

// TestPiecesOfRealChanges takes random hunks of real changes back, gives some back, and takes the rest back. The oracle replaces the lines that a
// hunk names by those that it had before, from the bottom up.
//
//	EMEND_PIECES=1000 go -C bench test -run PiecesOfReal -v ./realpairs
func TestPiecesOfRealChanges(t *testing.T) {
	want, _ := strconv.Atoi(os.Getenv("EMEND_PIECES"))
	if want == 0 {
		t.Skip("NOT RUN: EMEND_PIECES does not say of how many real changes; internal/undo.TestRandomPieces has made-up ones")
	}
	sum, err := prepare(t.Context(), config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	all := sum.pairs
	rng := rand.New(rand.NewPCG(43, 0))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	var s *emendtest.Story
	changes, undos, refusals := 0, 0, 0
	for _, p := range all {
		if changes == want {
			break
		}
		if changes%100 == 0 {
			s = emendtest.NewStory(t)
			s = s.Opened(s.WS.Root(), emend.NoSync())
		}
		n, refused, err := checkPair(s, rng, p, changes)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			changes, undos, refusals = changes+1, undos+n, refusals+refused
		}
	}
	t.Logf("%d changes of several hunks, %d undos: the tree is what the oracle says; %d undos of an undo were refused", changes, undos, refusals)
	if changes < want || refusals > 1+want/100 {
		t.Errorf("%d changes of several hunks, and %d refusals", changes, refusals)
	}
}

// checkPair checks a change of a text with several hunks. It returns 0 for another one.
func checkPair(s *emendtest.Story, rng *rand.Rand, p modpairs.Pair, i int) (undos, refused int, err error) {
	if !p.HasOld || !p.HasNew {
		return 0, 0, nil
	}
	before, after, err := p.Load()
	if err != nil || text.Binary(before) || text.Binary(after) || max(len(before), len(after)) > 1<<20 ||
		report.HunksOf("update", report.DiffOfTexts("update", p.Path, before, after)) < 2 {
		return 0, 0, err
	}
	undos, refused = emendtest.CheckPieces(s, rng, fmt.Sprintf("%d-%s", i, path.Base(p.Path)), before, after)
	return undos, refused, nil
}
