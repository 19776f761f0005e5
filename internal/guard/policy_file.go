package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/emend-dev/emend/fail"
)

// Policy is a person's policy file, for one workspace. A path is denied, asked about, allowed, or left to the built-in rules:
// the first of these that names it decides.
type Policy struct {
	write, read  accessRules
	denyUnasked  bool // a built-in rule that asks refuses a call that can ask nobody
	hash         string
	historyAge   time.Duration
	historyBytes int64
	logAge       time.Duration
	logBytes     int64
	runAge       time.Duration
	runWrite     []string
	pageOnly     bool
}

type accessRules struct {
	deny, ask, allow []pattern
	askTexts         []string // the patterns of ask, as they are written
}

// ruleLists is a section of a policy file as it is written.
type ruleLists struct {
	Deny  []string `toml:"deny"`  // patterns of paths that are refused
	Ask   []string `toml:"ask"`   // patterns of paths about which a person is asked
	Allow []string `toml:"allow"` // patterns of paths that the built-in rules do not protect
}

type writeSection struct {
	ruleLists
	Unasked string `toml:"unasked"` // what a built-in rule that asks does where nobody can be asked: "allow" or "deny"; "" is what holds otherwise, which is "allow"
}

type section struct {
	Write writeSection `toml:"write"`
	Read  ruleLists    `toml:"read"`
	Ask   askSection   `toml:"ask"`
	Run   runSection   `toml:"run"`
}

// askSection says who may answer a question.
type askSection struct {
	Answer string `toml:"answer"` // who may answer: "any", or "page" for a page alone
}

type policyFile struct {
	section
	Workspace map[string]section `toml:"workspace"`
	History   boundsSection      `toml:"history"`
	Log       boundsSection      `toml:"log"`
}

// ReadPolicy reads a policy file for the workspace at root. Its top sections hold for every workspace, those under
// [workspace."/path/to/it"] for that one. The file must be outside of the workspace, so that those whom it governs cannot
// change it.
func ReadPolicy(file, root string) (*Policy, error) {
	if insideWorkspace(file, root) {
		return nil, policyError(file, errors.New("it is inside the workspace that it governs"))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, policyError(file, err)
	}
	var f policyFile
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, policyError(file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, policyError(file, fmt.Errorf("%s is none of write, read, workspace, deny, ask, allow, unasked, answer, history, log, run, age, size", unknown[0]))
	}
	sum := sha256.Sum256(text)
	p := &Policy{hash: hex.EncodeToString(sum[:])}
	if p.historyAge, p.historyBytes, err = f.History.parse("history"); err != nil {
		return nil, policyError(file, err)
	}
	if p.logAge, p.logBytes, err = f.Log.parse("log"); err != nil {
		return nil, policyError(file, err)
	}
	if err := p.add(f.section); err != nil {
		return nil, policyError(file, err)
	}
	for _, path := range slices.Sorted(maps.Keys(f.Workspace)) {
		if !samePath(path, root) {
			continue
		}
		if err := p.add(f.Workspace[path]); err != nil {
			return nil, policyError(file, err)
		}
	}
	return p, nil
}

// add adds the rules of a section. What a section says of calls that can ask nobody replaces what an earlier one said.
func (p *Policy) add(s section) error {
	switch s.Write.Unasked {
	case "":
	case "allow", "deny":
		p.denyUnasked = s.Write.Unasked == "deny"
	default:
		return fmt.Errorf("write.unasked: %q is neither \"allow\" nor \"deny\"", s.Write.Unasked)
	}
	return errors.Join(p.write.add(s.Write.ruleLists), p.read.add(s.Read), p.addAsk(s.Ask), p.addRun(s.Run))
}

// insideWorkspace reports whether the file, or a link on the way to it, is below root. It compares directories, not paths: a
// path has more than one spelling where case does not count.
func insideWorkspace(file, root string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return true
	}
	real, err := filepath.EvalSymlinks(abs)
	return err == nil && (isBelow(abs, root) || isBelow(real, root)) // a missing file is refused when it is read
}

func isBelow(file, root string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if samePath(dir, root) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func samePath(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func policyError(file string, err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err,
		Msg:  fmt.Sprintf("the policy %s cannot be used: %v", fail.Quote(file), err),
		Hint: "Mend the file, or name another one with ‹option policy›; without a policy that can be read nothing is done."}
	if inner, ok := errors.AsType[*fail.Error](err); ok && inner.Hint != "" {
		e.Hint = inner.Hint + " Without a policy that can be read nothing is done."
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Kind, e.Reason = fail.NotFound, ""
	}
	return e
}

// compilePolicyPatterns compiles the patterns of a policy. One without a slash matches its name anywhere, one that begins
// with a slash only what is directly in the workspace, as in .gitignore. Syntax that people know from elsewhere but that has
// no meaning here is refused, since a rule that matches nothing denies nothing.
func compilePolicyPatterns(texts []string) ([]pattern, error) {
	bare := make([]string, len(texts))
	for i, text := range texts {
		bare[i] = strings.TrimPrefix(text, "/")
	}
	out, err := compilePatterns(bare)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		starry := func(name string) bool { return name != "**" && strings.Contains(name, "**") }
		if strings.ContainsAny(text, "{}") || strings.HasPrefix(text, "!") || slices.ContainsFunc(out[i], starry) {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadPattern, Msg: fail.Quote(text) + " is not a pattern of a policy",
				Hint: "Write *, ?, [a-z], and ** as a whole name; one pattern for each alternative; what is excepted goes into allow."}
		}
		if !strings.Contains(strings.TrimSuffix(text, "/"), "/") {
			out[i] = append(pattern{"**"}, out[i]...)
		}
	}
	return out, nil
}

func (v *accessRules) add(l ruleLists) error {
	for _, list := range []struct {
		texts []string
		to    *[]pattern
	}{{l.Deny, &v.deny}, {l.Ask, &v.ask}, {l.Allow, &v.allow}} {
		compiled, err := compilePolicyPatterns(list.texts)
		if err != nil {
			return err
		}
		*list.to = append(*list.to, compiled...)
	}
	v.askTexts = append(v.askTexts, l.Ask...)
	return nil
}

// addAsk adds who may answer. A section can only be stricter than the others.
func (p *Policy) addAsk(s askSection) error {
	if s.Answer != "" && s.Answer != "any" && s.Answer != "page" {
		return fmt.Errorf(`answer = %s is neither "any" nor "page"`, fail.Quote(s.Answer))
	}
	p.pageOnly = p.pageOnly || s.Answer == "page"
	return nil
}

// PageOnly reports whether only a page may answer what the policy asks.
func (g *Guard) PageOnly() bool { return g.policy != nil && g.policy.pageOnly }

// verdict is a policy's decision about a path.
type verdict uint8

const (
	undecided verdict = iota
	deny
	ask
	allow
)

// verdictOn returns the verdict on a path and, if a person is to be asked, the pattern that says so.
func (p *Policy) verdictOn(names []string, write bool) (v verdict, rule string) {
	if p == nil {
		return undecided, ""
	}
	l := &p.read
	if write {
		l = &p.write
	}
	if firstLike(l.deny, names) >= 0 {
		return deny, ""
	}
	if i := firstLike(l.ask, names); i >= 0 {
		return ask, l.askTexts[i]
	}
	if slices.ContainsFunc(l.allow, func(p pattern) bool { return p.match(names) }) {
		return allow, ""
	}
	return undecided, ""
}

// firstLike returns the first of the patterns that matches the path, or a path that looks like it; -1 if none does. A rule
// that closes a path closes every spelling of it, while one that opens a path opens that spelling only.
func firstLike(patterns []pattern, names []string) int {
	if len(patterns) == 0 {
		return -1
	}
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = fold(n)
	}
	return slices.IndexFunc(patterns, func(p pattern) bool {
		if p.match(names) {
			return true
		}
		like := make(pattern, len(p))
		for i, n := range p {
			like[i] = foldPattern(n)
		}
		// A closed directory closes everything below it, also if its name is a pattern.
		for n := range folded {
			if like.match(folded[:n+1]) {
				return true
			}
		}
		return false
	})
}

// foldPattern folds a name that may be a pattern. It keeps "**".
func foldPattern(name string) string {
	if name == "**" {
		return name
	}
	return fold(name)
}

// refusePolicy words the refusal for a verdict of deny or ask.
func refusePolicy(path string, names []string, v verdict, rule string) error {
	e := &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg:  fmt.Sprintf("%s is denied by the policy", fail.Quote(strings.Join(names, "/"))),
		Hint: "Leave the file as it is, or ask a person to change the policy."}
	if v == ask {
		e.Msg = fmt.Sprintf("the policy requires approval for %s (rule %s), and nobody is there to approve",
			fail.Quote(strings.Join(names, "/")), fail.Quote(rule))
	}
	return e
}

// HistoryBounds returns how long, and how many bytes of, replaced contents are kept: 0 if the policy does not say, -1 for no
// bound.
func (p *Policy) HistoryBounds() (age time.Duration, bytes int64) {
	if p == nil {
		return 0, 0
	}
	return p.historyAge, p.historyBytes
}

// LogBounds returns how long, and how many bytes of, the log are kept: 0 or less for no bound.
func (p *Policy) LogBounds() (age time.Duration, bytes int64) {
	if p == nil {
		return 0, 0
	}
	return p.logAge, p.logBytes
}
