package logbook

import (
	"bytes"

	"github.com/emend-dev/emend/internal/audit"
)

// PathSet holds paths of the log, spelled as a line of the log spells them, with their quotes.
type PathSet map[string]bool

// SumSet holds sha256 sums.
type SumSet map[string]bool

// WithOutcomes asks for the records whose line is wanted, and for all that say how a transaction ended or that undo one. It
// decodes nothing but the header of the others, which is ten times faster.
func WithOutcomes(o *Outcomes, wanted func(line []byte) bool) audit.Query {
	return audit.Query{Need: func(k audit.Kind, line []byte) audit.Detail {
		if wanted(line) || o.needs(k) {
			return audit.Full
		}
		return audit.Header
	}}
}

// needs reports whether records of a kind have to be read whole for the outcomes of others. While an end is known whose
// transaction was not met yet, that includes commits.
func (o *Outcomes) needs(k audit.Kind) bool {
	return k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(o.ends) > 0 && k == audit.Commit
}

// WithKeys is [WithOutcomes] that skips, wherever an index says so, records that have none of the keys.
func WithKeys(o *Outcomes, keys audit.Keys, wanted func(line []byte) bool) audit.Query {
	q := WithOutcomes(o, wanted)
	q.Keys = keys
	return q
}

// Quoted spells a path or a hash as a line of the log does, with its quotes.
func Quoted(s string) []byte { return audit.EncodeField("", s)[len(`"":`):] }

// Add adds a path, which counts from the top of the tree.
func (p PathSet) Add(top string) { p[string(Quoted(top))] = true }

// Has reports whether the set has a path, which counts from the top of the tree.
func (p PathSet) Has(top string) bool { return p[string(Quoted(top))] }

// AddAct adds the paths of a step.
func (p PathSet) AddAct(a *audit.Act) {
	if p.Add(a.Path); a.To != "" {
		p.Add(a.To)
	}
}

// InLine reports whether a line has one of the paths, in a field called path or toPath.
func (p PathSet) InLine(line []byte) bool {
	return anyString(line, `ath":"`, func(path []byte) bool { return p[string(path)] })
}

// MovedTo reports whether a line has a step that moved a file to one of the paths.
func (p PathSet) MovedTo(line []byte) bool {
	return anyString(line, `"to":"`, func(path []byte) bool { return p[string(path)] })
}

// AddAct adds the sums of what a step displaced and left.
func (s SumSet) AddAct(a *audit.Act) {
	for _, i := range []*audit.Ident{a.Old, a.New} {
		if i != nil && i.Sum != "" {
			s[i.Sum] = true
		}
	}
}

// InLine reports whether a line has one of the sums, in a field called sha256, beforeSha256 or afterSha256.
func (s SumSet) InLine(line []byte) bool {
	return anyString(line, `256":"`, func(sum []byte) bool { return s[string(bytes.Trim(sum, `"`))] })
}

// anyString reports whether a string of the line is wanted that stands in a field whose name ends like this. wanted gets
// the string with its quotes.
func anyString(line []byte, field string, wanted func(quoted []byte) bool) bool {
	for quoted := range audit.FieldStrings(line, field) {
		if wanted(quoted) {
			return true
		}
	}
	return false
}
