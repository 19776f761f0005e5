package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// cost is the time of a command about the oldest and about the newest change, in processes of their own.
type cost struct {
	what           string
	oldest, newest []time.Duration
}

// measureCosts times what reads the history, and then brings both changes back and compares the files.
func (b *bench) measureCosts(ctx context.Context) error {
	s := b.stores[0]
	early, late, err := s.entries(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		what string
		args func(e entries) []string
	}{
		{"show", func(e entries) []string { return []string{"show", e.edit} }},
		{"undo --dry-run", func(e entries) []string { return []string{"undo", e.edit, "--dry-run"} }},
		{"trash show", func(e entries) []string { return []string{"trash", "show", e.trash} }},
	} {
		one := cost{what: c.what}
		for range 15 {
			for _, e := range []entries{early, late} {
				start := time.Now()
				if _, err := s.emend(ctx, c.args(e)...); err != nil {
					return err
				}
				if took := time.Since(start); e == early {
					one.oldest = append(one.oldest, took)
				} else {
					one.newest = append(one.newest, took)
				}
			}
		}
		b.costs = append(b.costs, one)
	}
	undo, restore := cost{what: "undo"}, cost{what: "trash restore"}
	for _, e := range []entries{early, late} {
		for k, args := range [][]string{{"undo", e.edit}, {"trash", "restore", e.trash}} {
			start := time.Now()
			if _, err := s.emend(ctx, args...); err != nil {
				return err
			}
			c := []*cost{&undo, &restore}[k]
			if e == early {
				c.oldest = append(c.oldest, time.Since(start))
			} else {
				c.newest = append(c.newest, time.Since(start))
			}
		}
	}
	b.costs = append(b.costs, undo, restore)
	return s.cameBack()
}

// cameBack checks that the side files are as they were.
func (s *store) cameBack() error {
	var want []byte
	for _, name := range slices.Concat(side[true], side[false]) {
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return err
		}
		if want == nil {
			want = text
		}
		if string(text) != string(want) {
			return fmt.Errorf("%s is not what it was", name)
		}
	}
	return nil
}

// entries names the change of a side file, and the deletion of the other.
type entries struct{ edit, trash string }

func (s *store) entries(ctx context.Context) (early, late entries, err error) {
	for _, e := range []struct {
		early bool
		to    *entries
	}{{true, &early}, {false, &late}} {
		if e.to.edit, err = s.entryOf(ctx, side[e.early][0], "entry"); err != nil {
			return early, late, err
		}
		if e.to.trash, err = s.entryOf(ctx, side[e.early][1], "trashedTo"); err != nil {
			return early, late, err
		}
	}
	return early, late, nil
}

func (s *store) entryOf(ctx context.Context, path, field string) (string, error) {
	out, err := s.emend(ctx, "log", "--path", path, "--json")
	if err != nil {
		return "", err
	}
	var found struct {
		Data struct {
			Entries []map[string]any `json:"entries"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return "", err
	}
	for _, e := range found.Data.Entries {
		if id, ok := e[field].(string); ok && id != "" {
			return id, nil
		}
	}
	return "", fmt.Errorf("the log has no %s of %s", field, path)
}

// packing is the time that it takes to pack a history at once.
type packing struct {
	edits, files int
	took         time.Duration
}

// measurePacking packs histories of sizes that grow by ten, made by one process that does not pack.
func (b *bench) measurePacking(ctx context.Context) error {
	for n := 100; n <= b.edits; n *= 10 {
		p, err := b.packOnce(ctx, n)
		if err != nil {
			return err
		}
		b.packing = append(b.packing, p)
	}
	return nil
}

func (b *bench) packOnce(ctx context.Context, n int) (p packing, err error) {
	dir := filepath.Join(b.scratch, fmt.Sprint("pack", n))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return p, err
	}
	var text strings.Builder
	for i := 0; text.Len() < b.size; i++ {
		fmt.Fprintf(&text, "line %d of the file\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte("edit 0\n"+text.String()), 0o644); err != nil {
		return p, err
	}
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	for i := range n + 100 { // the newest hundred are not packed
		patch := fmt.Sprintf("*** Begin Patch\n*** Update File: f.txt\n@@\n-edit %d\n+edit %d\n*** End Patch\n", i, i+1)
		plan, err := ws.Plan(ctx, patch, api.PatchOptions{})
		if err == nil {
			_, err = ws.Commit(ctx, plan)
		}
		if err != nil {
			return p, err
		}
	}
	start := time.Now()
	packed, err := ws.Host().PackAll(ctx)
	if err != nil {
		return p, err
	}
	return packing{n, packed.Files, time.Since(start)}, nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }

func quantile(all []time.Duration, q float64) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[int(q*float64(len(all)-1))]
}

func mean(all []time.Duration) (sum time.Duration) {
	for _, d := range all {
		sum += d
	}
	return sum / time.Duration(len(all))
}

func mb(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

func (b *bench) page() string {
	var w strings.Builder
	fmt.Fprintf(&w, "# What a history takes\n\nWritten by `go -C bench run ./history`: %d edits of one line each in a file of %d bytes, each by a process of its own.\n"+
		"git has every version as a commit and was told to `gc`. %d cores, %s, %s, %s. MB are 10^6 bytes.\n",
		b.edits, b.size, runtime.NumCPU(), runtime.GOOS, runtime.Version(), version("git"))
	fmt.Fprint(&w, "\n## Bytes and names\n\nThe log is in the bytes of emend; git has none that could be compared.\n\n"+
		"| | edits | names | MB | of these the log | of these packs |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, s := range append(slices.Clone(b.stores), b.git) {
		for _, t := range s.taken {
			fmt.Fprintf(&w, "| %s | %d | %d | %s | %s | %s |\n", s.name, t.edits, t.names, mb(t.bytes), mb(t.log), mb(t.packs))
		}
	}
	fmt.Fprint(&w, "\n## The time of an edit\n\nIn milliseconds, from the start of the process: until the answer, and until the process has ended. A process packs after its answer;\n"+
		"most have nothing to pack.\n\n| | answer, median | p90 | mean | end, median | p90 | mean | longest |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, s := range b.stores {
		fmt.Fprintf(&w, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s.name, ms(quantile(s.answers, .5)), ms(quantile(s.answers, .9)), ms(mean(s.answers)),
			ms(quantile(s.ends, .5)), ms(quantile(s.ends, .9)), ms(mean(s.ends)), ms(slices.Max(s.ends)))
	}
	if len(b.stores) == 2 {
		var ratios []float64
		for i, d := range b.stores[0].answers {
			ratios = append(ratios, float64(d)/float64(b.stores[1].answers[i]))
		}
		slices.Sort(ratios)
		fmt.Fprintf(&w, "\nUntil the answer, of the same edit: this build takes %.3f of the older one's time (median of the pairs; half of them between %.3f and %.3f).\n",
			ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[3*len(ratios)/4])
	}
	fmt.Fprint(&w, "\n## The oldest change and the newest\n\nA process each, in milliseconds (median). What the oldest displaced is packed, what the newest displaced is not.\n\n"+
		"| | oldest | newest |\n| --- | ---: | ---: |\n")
	for _, c := range b.costs {
		fmt.Fprintf(&w, "| `%s` | %s | %s |\n", c.what, ms(quantile(c.oldest, .5)), ms(quantile(c.newest, .5)))
	}
	fmt.Fprint(&w, "\n## Packing\n\nA history that was never packed is packed at once (`emend doctor --pack`).\n\n| changes | files | ms | ms for 100 changes | exponent |\n| ---: | ---: | ---: | ---: | ---: |\n")
	for i, p := range b.packing {
		exponent := "–"
		if i > 0 {
			before := b.packing[i-1]
			exponent = fmt.Sprintf("%.2f", math.Log(float64(p.took)/float64(before.took))/math.Log(float64(p.edits)/float64(before.edits)))
		}
		fmt.Fprintf(&w, "| %d | %d | %s | %s | %s |\n", p.edits, p.files, ms(p.took), ms(p.took*100/time.Duration(p.edits)), exponent)
	}
	return w.String()
}

func version(program string) string {
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return program + " " + err.Error()
	}
	return strings.TrimSpace(string(out))
}
