package web

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
)

// healthView is the data of the page on the store, the promises that hold on this file system, and the log.
type healthView struct {
	*api.Health
	Tiles     []healthTile
	Problems  []healthProblem
	Abilities []ability
	Recover   string // the page that recovers; "" if there is nothing to recover
	Orphans   int
	CheckHref string // the page that checks the whole log
	Check     logCheck
	Result    *checkResult // of the last check; nil before there is one
}

// healthProblem is a problem, and what to do next.
type healthProblem struct{ Text, Next string }

// healthTile is one line of the overview.
type healthTile struct {
	State string // good, warn or bad; "" if it is not known
	Sign  string
	Name  string
	Text  string
	Href  string // the part of the page that has more
}

// ability is a feature of the file system, as a test found it.
type ability struct {
	Name string
	Has  bool
}

// checkResult is the data of the result of a check.
type checkResult struct {
	*api.VerifyReport
	Kinds   []string
	Files   []changedFile
	Omitted int // how many files are not listed
}

// changedFile is a file that differs from the log.
type changedFile struct {
	Path, FileHref, Text, EntryHref string
}

// maxChangedFiles limits the files that the result of a check lists.
const maxChangedFiles = 200

func (r *request) health() (page, error) {
	h, err := r.ws.Host().Doctor(r.Context())
	if err != nil {
		return page{}, err
	}
	v := &healthView{Health: h, Orphans: len(h.Orphans)}
	v.Check = r.site.checkers[r.ws.Name].startOrGet(r.Context(), r.ws.Workspace, parseCheckNumber(r.URL.Query().Get("verify")), r.site.Log)
	v.CheckHref = r.ws.With("health", "verify", strconv.Itoa(v.Check.Number+1)) + "#log"
	if h.Pending != "" && h.Locked == "" || v.Orphans > 0 {
		v.Recover = r.ws.Page("confirm", "recover")
	}
	for _, p := range h.Problems {
		v.Problems = append(v.Problems, healthProblem{p, problemHint(h, p)})
	}
	if h.Abilities != nil {
		a := h.Abilities
		v.Abilities = []ability{{"exchange two names", a.Exchange}, {"rename without replacing", a.NoReplace}, {"replace open files", a.ReplaceOpen}, {"hard links", a.Links},
			{"locks", a.Lock}, {"leases", a.Lease}, {"sync to the disk", a.Sync}}
	}
	if v.Check.report != nil {
		v.Result = r.checkResult(v.Check.report)
	}
	v.Tiles = v.tiles()
	p := page{Name: "health", Title: "Health", Data: v, Reload: v.Check.Running()}
	return p, nil
}

// tiles returns the overview.
func (v *healthView) tiles() []healthTile {
	tile := func(state, name, text, href string) healthTile {
		return healthTile{state, map[string]string{"good": "✓", "warn": "!", "bad": "✕", "": "–"}[state], name, text, href}
	}
	problems := tile("good", "Problems", "None", "")
	if n := len(v.Problems); n > 0 {
		problems = tile("bad", "Problems", grouped(n), "#problems")
	}
	recovery := tile("good", "Interrupted changes", "None", "#recovery")
	switch {
	case v.Pending != "" && v.Locked != "":
		recovery = tile("warn", "Interrupted changes", "1 in progress", "#recovery")
	case v.Pending != "":
		recovery = tile("bad", "Interrupted changes", "1, not recovered", "#recovery")
	case v.Orphans > 0:
		recovery = tile("warn", "Interrupted changes", "Files left in the store", "#recovery")
	}
	log := tile("", "Log", "Not checked yet", "#log")
	switch {
	case v.Log == nil:
		log.Text = "No records yet"
	case v.Check.Running():
		log.Text = "Checking…"
	case v.Result != nil && v.Result.OK:
		log = tile("good", "Log", plural(v.Result.Records, "record")+", intact", "#log")
	case v.Result != nil:
		log = tile("bad", "Log", "Damaged", "#log")
	case v.Check.Failure() != "":
		log = tile("warn", "Log", "The check failed", "#log")
	}
	limits := tile("good", "Limits of this disk", "None", "#limits")
	if n := len(v.Weaker); n > 0 {
		limits = tile("warn", "Limits of this disk", grouped(n), "#limits")
	}
	return []healthTile{problems, recovery, log, limits}
}

// RecoveryEnd words how the recovery of the store's opening ended.
func (v *healthView) RecoveryEnd(end api.RecoveryEnd) string { return tool.RecoveryEndText(end) }

// problemHint returns the next step for a problem that does not name one.
func problemHint(h *api.Health, words string) string {
	switch {
	case h.Pending != "" && h.Locked != "" && strings.Contains(words, h.Pending):
		return "A change is in progress: look again in a moment."
	case h.Pending != "" && strings.Contains(words, h.Pending):
		return "Recover it: that finishes the change or rolls it back."
	case strings.Contains(words, "cannot lock the store"):
		return "Try again in a moment. If it persists, end the process that holds the lock, or move the store to a local disk."
	case strings.Contains(words, "--unsafe-fs"):
		return "Work on a local disk, or start the server with --unsafe-fs if you accept the limits below."
	}
	return "Run emend doctor --help in a terminal to see what can be done."
}

// checkResult makes the page's data from a check's report.
func (r *request) checkResult(v *api.VerifyReport) *checkResult {
	c := &checkResult{VerifyReport: v}
	for _, k := range slices.Sorted(maps.Keys(v.Kinds)) {
		c.Kinds = append(c.Kinds, grouped(v.Kinds[k])+" "+k)
	}
	for _, f := range v.Files[:min(len(v.Files), maxChangedFiles)] {
		c.Files = append(c.Files, changedFile{f.Path, r.ws.FilePage(f.Path), stateText(f), r.ws.EntryPage(f.Entry)})
	}
	c.Omitted = len(v.Files) - len(c.Files)
	return c
}

// stateTexts are the words for files that differ from the log.
var stateTexts = map[api.FileState]string{
	api.FileChanged: "changed outside emend",
	api.FileGone:    "deleted outside emend",
	api.FileBack:    "exists again; deleted in the log",
	api.FileUnknown: "cannot be read",
}

func stateText(f api.FileMismatch) string {
	words := cmp.Or(stateTexts[f.State], string(f.State))
	if f.Why != "" {
		words += ": " + f.Why
	}
	return words
}
