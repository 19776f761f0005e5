package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

// smallBlocks makes blocks of a few lines, so that a short log has many.
func smallBlocks(t testing.TB) {
	old := blockSize
	blockSize = 500
	t.Cleanup(func() { blockSize = old })
}

// segmentFiles returns the segments of a log of n transactions, and its heads.
func segmentFiles(t testing.TB, n int) (map[string]string, []Head) {
	t.Helper()
	dir := disk(t, nil)
	l := newLog(t, dir, Options{SegmentSize: 3000})
	fill(t, l, n)
	files := map[string]string{}
	for _, name := range names(t, dir) {
		files[name] = read(t, dir, name)
	}
	return files, heads(t, l.Forward(0))
}

// damage changes the files of a log at random: bytes, lines and ends of segments, and whole segments.
func damage(rnd *rand.Rand, files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		for range rnd.IntN(3) {
			lines := strings.SplitAfter(text, "\n")
			i, k := rnd.IntN(len(lines)), rnd.IntN(len(lines))
			switch rnd.IntN(8) {
			case 0:
				lines[i] = ""
			case 1:
				lines[i], lines[k] = lines[k], lines[i]
			case 2:
				lines[i] += lines[k]
			case 3:
				lines[i] = strings.Replace(lines[i], `"ok":true`, `"ok":false`, 1)
			case 4:
				lines[i] = lines[i][:rnd.IntN(len(lines[i])+1)]
			case 5:
				lines[i] = strings.Repeat("\x00", len(lines[i]))
			}
			text = strings.Join(lines, "")
		}
		if rnd.IntN(20) > 0 {
			out[name] = text
		}
	}
	return out
}

// checked runs a check and returns all that it says.
func checked(t testing.TB, c Check, dir vfs.Dir) string {
	t.Helper()
	var each []Head
	c.Each = func(r *Record) { each = append(each, r.head()) }
	rep, err := c.Run(context.Background(), dir)
	var text strings.Builder
	text.WriteString(fmt.Sprint(each, err))
	for _, b := range rep.Breaks {
		text.WriteString("\n" + b.Error())
	}
	rep.Breaks = nil
	return text.String() + fmt.Sprintf("\n%+v", rep)
}

// However a log is damaged, all processors find what one finds that reads line after line.
func TestCheckIsTheSameInParallel(t *testing.T) {
	smallBlocks(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	files, all := segmentFiles(t, 20)
	whole := 0
	for range 400 {
		dir := disk(t, damage(rnd, files))
		c := Check{Witnesses: []Head{all[rnd.IntN(len(all))], {Seq: 3, H: all[9].H}}}
		if rnd.IntN(2) == 0 {
			c.Since = all[rnd.IntN(len(all))]
		}
		one := c
		one.inTurn = true
		got, want := checked(t, c, dir), checked(t, one, dir)
		if got != want {
			t.Fatalf("all processors:\n%s\none:\n%s", got, want)
		}
		if !strings.Contains(got, "damaged") {
			whole++
		}
	}
	if whole < 5 || whole > 200 {
		t.Errorf("%d of 400 logs were undamaged", whole)
	}
}

// A check that begins behind a head checks each record behind it, and none before.
func TestCheckSince(t *testing.T) {
	smallBlocks(t)
	files, all := segmentFiles(t, 12)
	dir := disk(t, files)
	for i, h := range all {
		var each []Head
		rep, err := Check{Since: h, Witnesses: all, Each: func(r *Record) { each = append(each, r.head()) }}.Run(t.Context(), dir)
		// The first record of a segment is met again: its segment begins with it.
		if len(each) > 0 && each[0] == h {
			each = each[1:]
		}
		if err != nil || !rep.Whole() || rep.Since != h || rep.Head != all[len(all)-1] || len(each) != len(all)-1-i {
			t.Fatalf("since %v: %d behind it, %+v, %v", h, len(each), rep, err)
		}
	}
	wrong := Head{Seq: 5, H: all[7].H}
	rep, err := Check{Since: wrong}.Run(t.Context(), dir)
	if err != nil || !reflect.DeepEqual(rep.Missing, []Head{wrong}) || rep.Since != (Head{}) || rep.Records != len(all) {
		t.Errorf("since a record that is not there: %+v, %v", rep, err)
	}
	if rep, err = (Check{Since: Head{Seq: 10000, H: all[7].H}}).Run(t.Context(), dir); err != nil || rep.Whole() {
		t.Errorf("since a record that is not there yet: %+v, %v", rep, err)
	}

	files[segmentName(1)] = strings.Replace(files[segmentName(1)], `"ok":true`, `"ok":false`, 1)
	dir = disk(t, files)
	for _, i := range []int{len(all) / 2, len(all) - 1} {
		if rep, err = (Check{Since: all[i]}).Run(t.Context(), dir); err != nil || !rep.Whole() || rep.Since != all[i] {
			t.Errorf("damage before %v: %+v, %v", all[i], rep, err)
		}
	}
	last := segmentName(len(files))
	files[last] = strings.Replace(files[last], `"kind":"denied"`, `"kind":"failed"`, 1)
	if rep, err = (Check{Since: all[len(all)/2]}).Run(t.Context(), disk(t, files)); err != nil || len(rep.Breaks) == 0 {
		t.Errorf("damage behind the record: %+v, %v", rep, err)
	}
}
