package vfstest

import (
	"bytes"
	"maps"
	"slices"
	"time"
)

// Crash returns the disk as it could be after a power cut at this moment. There are many ways: choose(n) picks one of
// n, and is only asked if there are at least two. The disk itself stays as it is, and can crash again, another way. On
// the new disk no file is open and everything is durable.
func (m *Disk) Crash(choose func(n int) int) *Disk {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := crash{
		from:   m,
		choose: choose,
		made:   map[*inode]*inode{},
		to:     &Disk{kind: m.kind, system: m.system, clock: m.clock, lastIno: m.lastIno, epoch: m.epoch + 1},
	}
	c.to.closeAll()
	if m.space != nil {
		c.to.space = new(*m.space)
	}
	c.names = c.chooseNames()
	c.to.root = c.copy(m.root)
	c.to.root.links = 1
	return c.to
}

type crash struct {
	from, to *Disk
	choose   func(n int) int
	names    map[*inode]map[string]*inode // the directories that differ from what was kept
	made     map[*inode]*inode
}

// chooseNames chooses, for a journal, how many of the changes happened.
func (c *crash) chooseNames() map[*inode]map[string]*inode {
	names := map[*inode]map[string]*inode{}
	if c.from.kind == Strict || len(c.from.pending) == 0 {
		return names
	}
	for _, change := range c.from.pending[:c.choose(len(c.from.pending)+1)] {
		for _, cell := range change {
			if names[cell.dir] == nil {
				names[cell.dir] = maps.Clone(cell.dir.kept)
			}
			set(names[cell.dir], cell)
		}
	}
	return names
}

// found returns the names that the directory has after the crash.
func (c *crash) found(d *inode) map[string]*inode {
	if c.from.kind == Strict {
		return c.strict(d)
	}
	if names := c.names[d]; names != nil {
		return names
	}
	return d.kept
}

// strict chooses each cell of a directory on its own.
func (c *crash) strict(d *inode) map[string]*inode {
	values := map[string][]*inode{}
	for name, n := range d.kept {
		values[name] = []*inode{n}
	}
	for _, change := range c.from.pending {
		for _, cell := range change {
			if cell.dir == d {
				values[cell.name] = possible(values[cell.name], cell.to)
			}
		}
	}
	names := map[string]*inode{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		set(names, cell{dir: d, name: name, to: c.pick(values[name])})
	}
	return names
}

// possible adds a value to those that a cell can have. A cell that was empty at first may be empty.
func possible(values []*inode, n *inode) []*inode {
	if values == nil {
		values = []*inode{nil}
	}
	if slices.Contains(values, n) {
		return values
	}
	return append(values, n)
}

func (c *crash) pick(values []*inode) *inode {
	if len(values) == 1 {
		return values[0]
	}
	return values[c.choose(len(values))]
}

// copy copies n as it is after the crash, once however many names it has.
func (c *crash) copy(n *inode) *inode {
	if made := c.made[n]; made != nil {
		return made
	}
	made := &inode{ino: n.ino, link: n.link}
	c.made[n] = made
	made.attr, made.mtime, made.data = c.attr(n), n.keptMtime, n.data
	if n.is(0) {
		made.data, made.mtime = c.content(n)
	}
	if n.dir() {
		c.fill(made, c.found(n))
	}
	made.synced, made.stable = made.data, len(made.data)
	made.ctime = made.mtime
	made.keptAttr, made.keptMtime = made.attr, made.mtime
	return made
}

// fill gives a directory its names. A directory that would have two names keeps the first: a file system check repairs
// the state with both, and the other name alone is another choice.
func (c *crash) fill(d *inode, found map[string]*inode) {
	d.names = map[string]*inode{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		n := found[name]
		if n.dir() && c.made[n] != nil {
			continue
		}
		below := c.copy(n)
		below.links++
		d.names[name] = below
	}
	d.kept = maps.Clone(d.names)
}

func (c *crash) attr(n *inode) attr {
	if n.attr == n.keptAttr || c.choose(2) == 0 {
		return n.keptAttr
	}
	return n.attr
}

// content chooses one of the possible contents of n. See [Disk].
func (c *crash) content(n *inode) ([]byte, time.Time) {
	found := contents(n)
	i := 0
	if len(found) > 1 {
		i = c.choose(len(found))
	}
	if i == 0 {
		return found[0], n.keptMtime
	}
	return found[i], n.mtime
}

// contents lists the possible contents, the synced one first and each one once.
func contents(n *inode) [][]byte {
	kept, all := n.data[:n.stable], n.data
	if n.stable == len(n.synced) && n.stable == len(all) {
		return [][]byte{slices.Clone(all)}
	}
	zeros := slices.Concat(kept, make([]byte, len(all)-len(kept)))
	half := all[:(len(kept)+len(all))/2]
	short := all[:max(len(kept), len(all)-1)]
	found := [][]byte{slices.Clone(n.synced)}
	for _, data := range [][]byte{all, short, half, zeros, kept} {
		if !slices.ContainsFunc(found, func(have []byte) bool { return bytes.Equal(have, data) }) {
			found = append(found, slices.Clone(data))
		}
	}
	return found
}
