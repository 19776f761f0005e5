package logtest

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// steps returns the steps of a change of one to three files.
func (m *maker) steps() []step {
	var out []step
	for n := 1 + m.rand.IntN(3); len(out) < n; {
		s := step{path: m.path(), to: m.rand.IntN(1<<30) + 1}
		if s.from = m.tree[s.path]; s.from != 0 && m.rand.IntN(20) == 0 {
			s.to = 0
		}
		if !slices.ContainsFunc(out, func(o step) bool { return o.path == s.path }) {
			out = append(out, s)
		}
	}
	return out
}

// sizeOfGroup is how many changes are committed together.
const sizeOfGroup = 3

// group makes changes of different files that are committed together. Now and then one is taken back.
func (m *maker) group() {
	var all []change
	var records []*audit.Record
	used := map[string]bool{}
	for len(all) < sizeOfGroup {
		steps := m.steps()
		if slices.ContainsFunc(steps, func(s step) bool { return used[s.path] }) {
			continue
		}
		for _, s := range steps {
			used[s.path] = true
		}
		c := m.newChange(audit.Commit, steps...)
		c.Group = sizeOfGroup - 1 - len(all)
		all = append(all, c)
	}
	for i := range all {
		records = append(records, &all[i].Record)
	}
	m.append(records...)
	back := m.rand.IntN(2 * sizeOfGroup)
	if back < sizeOfGroup {
		m.end(all[back], audit.Record{Kind: audit.Abort, ErrorKind: "stale_file", Message: "somebody saved it meanwhile", Group: sizeOfGroup})
		all = slices.Delete(all, back, back+1)
	}
	for i, c := range all {
		m.keep(c, audit.Record{Kind: audit.Applied, OK: true, Group: len(all) - i})
	}
}

// change begins a change.
func (m *maker) change(kind audit.Kind, steps ...step) change {
	c := m.newChange(kind, steps...)
	m.append(&c.Record)
	return c
}

func (m *maker) newChange(kind audit.Kind, steps ...step) change {
	c := change{audit.Record{Kind: kind, Tx: history.NewID(m.now), OK: true}, steps}
	if kind == audit.Undo {
		c.Undoes = []string{m.before.Tx}
	}
	for _, s := range steps {
		m.op(&c.Record, s)
	}
	return c
}

// keep completes a change.
func (m *maker) keep(c change, end audit.Record) {
	m.end(c, end)
	for _, s := range c.steps {
		m.tree[s.path] = s.to
	}
	m.before = c
}

func (m *maker) undo() {
	var back []step
	for _, s := range m.before.steps {
		back = append(back, step{s.path, s.to, s.from})
	}
	tool := m.actor.Tool
	m.actor.Tool = "undo"
	m.keep(m.change(audit.Undo, back...), audit.Record{Kind: audit.Applied, OK: true})
	m.actor.Tool, m.before = tool, change{}
}

func (m *maker) refused(kind audit.Kind, why, path, message string) {
	m.append(&audit.Record{Kind: kind, ErrorKind: why, Message: path + ": " + message, Ops: []audit.Op{{Operation: "update", Path: path}}})
}

// op adds a step to a record.
func (m *maker) op(r *audit.Record, s step) {
	op := audit.Op{Operation: "update", Path: s.path}
	act := audit.Act{Do: audit.DoSwap, Path: s.path, Slot: len(r.Acts) + 1}
	if act.Old = m.ident(s.path, s.from); act.Old == nil {
		op.Operation, act.Do = "add", audit.DoPut
	} else {
		op.Before = act.Old.Sum
	}
	if act.New = m.ident(s.path, s.to); act.New == nil {
		op.Operation, act.Do = "delete", audit.DoTake
	} else {
		op.After, op.Size = act.New.Sum, act.New.Size
	}
	r.Ops, r.Acts = append(r.Ops, op), append(r.Acts, act)
}

func (m *maker) ident(path string, version int) *audit.Ident {
	if version == 0 {
		return nil
	}
	text := content(path, version)
	return &audit.Ident{Ino: uint64(m.rand.Uint32()), Sum: sum(text), Size: int64(len(text)), Mode: 0o644}
}

func (m *maker) end(c change, end audit.Record) {
	end.Tx = c.Tx
	m.append(&end)
}

func (m *maker) append(all ...*audit.Record) {
	for _, r := range all {
		if r.Kind != audit.Applied && r.Kind != audit.Recovered {
			r.Actor, r.PolicyHash = m.actor, sum("policy")
		}
	}
	if m.err == nil {
		m.err = m.out.AppendAll(all, false)
	}
}

// write writes the files as the last changes left them.
func (m *maker) write(dir string) error {
	for path, version := range m.tree {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if version == 0 {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content(path, version)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
