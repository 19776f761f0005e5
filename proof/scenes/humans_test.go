//go:build linux

package scenes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend"
)

// sharedPage is a page that a person and an agent change.
//
// The person knows the number of the last save, and looks at the page before each save. What the agent wrote on its own line
// stays. A save is lost if its number is no longer on the page when the person looks, and is not there either while no agent
// works. During the microseconds in which an agent has exchanged the files and finds that it must change them back, a reader
// sees the agent's version; what is wrong afterwards is wrong for good.
//
// Each patch of the agent also increments a number in a second file, which nobody else changes and which comes first. A patch
// that is refused because the person saved must not change that file either.
type sharedPage struct {
	ws    *emend.Workspace
	name  string
	tally string

	work            sync.Mutex // held while the agent applies a patch
	landed, refused atomic.Int64
	idle            atomic.Bool // the agent has ended
}

func newDesk(t *testing.T) *sharedPage {
	t.Helper()
	ws := workspace(t, emend.NoSync()) // the syncs do not belong to the critical moment
	d := &sharedPage{ws: ws, name: filepath.Join(ws.Root(), "page.txt"), tally: filepath.Join(ws.Root(), "count.txt")}
	write(t, d.name, page{}.String())
	write(t, d.tally, "landed 0\n")
	return d
}

// TestHumans checks that no save of a person is ever lost to an agent that changes the same file.
func TestHumans(t *testing.T) {
	saves := number(t, "EMEND_SCENES_SAVES", 2000)
	var said []string
	var landed, refused int64
	for _, e := range editors {
		d := newDesk(t)
		made, lost := d.scene(t, e, engine, saves)
		d.checkTally(t)
		if lost > 0 {
			t.Errorf("%d of %d %s saves were lost", lost, made, e.name)
		}
		said = append(said, fmt.Sprintf("%d %s saves, %d lost", made, e.name, lost))
		landed, refused = landed+d.landed.Load(), refused+d.refused.Load()
	}
	t.Logf("humans: %s; agent landed %d, refused %d", strings.Join(said, "; "), landed, refused)
}

// checkTally compares the agent's number with the answers that it got.
func (d *sharedPage) checkTally(t *testing.T) {
	t.Helper()
	if got, want := read(t, d.tally), fmt.Sprintf("landed %d\n", d.landed.Load()); got != want {
		t.Errorf("the agent's count is %q, want %q: patches that were refused are in it", got, want)
	}
}

// TestHumansRig checks that an agent which does not look at a file again loses saves in it.
func TestHumansRig(t *testing.T) {
	for _, e := range editors {
		made, lost := newDesk(t).scene(t, e, blindAgent, 500)
		if lost == 0 {
			t.Errorf("none of %d %s saves was lost to an agent that renames blindly; the scene proves nothing", made, e.name)
		}
		t.Logf("a blind agent: %d of %d %s saves lost", lost, made, e.name)
	}
}

// scene has a person save until there are enough saves, and enough patches of an agent beside them.
func (d *sharedPage) scene(t *testing.T, e editor, a agent, saves int) (made, lost int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.agent(ctx, a); err != nil {
			t.Errorf("the agent beside the %s editor: %v", e.name, err)
		}
	})
	made, lost, err := d.human(e, saves, rand.New(rand.NewPCG(seed(t), 0)))
	stop()
	wg.Wait()
	if err != nil {
		t.Fatalf("the %s editor: %v", e.name, err)
	}
	if d.landed.Load() < patchesFor(saves) {
		t.Errorf("the agent landed %d patches beside %d %s saves; the scene proves little", d.landed.Load(), made, e.name)
	}
	return made, lost
}

// patchesFor returns how many patches must succeed beside so many saves.
func patchesFor(saves int) int64 { return int64(saves / 20) }

// human saves, and counts lost saves.
func (d *sharedPage) human(e editor, saves int, rng *rand.Rand) (made, lost int, err error) {
	for made < saves || d.landed.Load() < patchesFor(saves) && made < 5*saves {
		p, gone, err := d.waitTurns(made, rng)
		if err != nil {
			return made, lost, err
		}
		if gone {
			lost++
		}
		made++
		if err := e.save(d.name, page{human: made, agent: p.agent}); err != nil {
			return made, lost, err
		}
	}
	_, gone, err := d.look(made)
	if gone {
		lost++
	}
	return made, lost, err
}

// waitTurns looks at the page until the agent has had a few turns, and then a random number of times more, so that the person
// saves at any moment of a turn.
func (d *sharedPage) waitTurns(last int, rng *rand.Rand) (p page, gone bool, err error) {
	until, more := d.turns()+rng.Int64N(3), rng.IntN(60)
	for {
		if p, gone, err = d.look(last); gone || err != nil {
			return p, gone, err
		}
		if d.idle.Load() || d.turns() >= until {
			if more--; more < 0 {
				return p, false, nil
			}
		}
	}
}

// turns returns how many answers the agent has had.
func (d *sharedPage) turns() int64 { return d.landed.Load() + d.refused.Load() }

// look reads the page and reports whether the number last is gone from it for good.
func (d *sharedPage) look(last int) (p page, gone bool, err error) {
	p, err = readPage(d.name)
	if err != nil || p.human == last {
		return p, false, err
	}
	d.work.Lock()
	defer d.work.Unlock()
	p, err = readPage(d.name)
	return p, p.human != last, err
}

// readPage reads the page until it is whole: nobody may start from the middle of a save.
func readPage(name string) (page, error) {
	for range 100_000 {
		data, err := os.ReadFile(name)
		if err != nil {
			return page{}, err
		}
		if p, whole := parsePage(string(data)); whole {
			return p, nil
		}
	}
	return page{}, fmt.Errorf("%s is not whole and stays so", name)
}

// agent increments the number on its line until ctx ends.
func (d *sharedPage) agent(ctx context.Context, a agent) error {
	defer d.idle.Store(true)
	for ctx.Err() == nil {
		p, err := readPage(d.name)
		if err != nil {
			return err
		}
		switch err := d.turn(a, p.agent); {
		case err == nil:
			d.landed.Add(1)
		case isStale(err):
			d.refused.Add(1)
		default:
			return err
		}
	}
	return nil
}

func (d *sharedPage) turn(a agent, n int) error {
	d.work.Lock()
	defer d.work.Unlock()
	count, err := os.ReadFile(d.tally)
	if err != nil {
		return err
	}
	var landed int
	if _, err := fmt.Sscanf(string(count), "landed %d\n", &landed); err != nil {
		return err
	}
	// The patch is finished even when the scene has ended: an interrupted patch is tested elsewhere.
	return a(context.Background(), d.ws, envelope(
		"*** Update File: count.txt", "@@", fmt.Sprintf("-landed %d", landed), fmt.Sprintf("+landed %d", landed+1),
		"*** Update File: page.txt", "@@", fmt.Sprintf("-agent %d", n), fmt.Sprintf("+agent %d", n+1)))
}
