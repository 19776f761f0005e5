package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// parts are the headings of a version in the changelog, in their order.
var parts = []string{"Patches", "Edits", "Undo and log", "Safety", "Shell commands", "Reading and searching", "Server", "Pages", "Command line",
	"Setup and installation", "Systems", "Go library"}

// change is one thing that a commit changed for users. A commit says it in a trailer:
//
//	Changelog: Pages: A file or a hunk of a change is undone on its page.
type change struct{ part, words string }

func parseChange(text string) (change, error) {
	part, words, ok := strings.Cut(text, ": ")
	if !ok || words == "" || !slices.Contains(parts, part) {
		return change{}, fmt.Errorf("%q is no entry of a changelog; one is \"PART: words\", with a part of %q", text, parts)
	}
	return change{part, words}, nil
}

// wordsOf returns what files/changes.txt says of commits that have no trailer, by the beginning of their hashes.
func wordsOf(text string) (map[string][]string, error) {
	words := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		hash, entry, ok := strings.Cut(line, " ")
		if !ok || len(hash) != hashLength {
			return nil, fmt.Errorf("%q: a line has %d digits of a commit, a part and words", line, hashLength)
		}
		words[hash] = append(words[hash], entry)
	}
	return words, nil
}

const hashLength = 12

// changes returns what commits changed for users, the oldest first. An empty from is the beginning.
func changes(ctx context.Context, root, from, to string) ([]change, error) {
	text, err := filesFS.ReadFile("files/changes.txt")
	if err != nil {
		return nil, err
	}
	words, err := wordsOf(string(text))
	if err != nil {
		return nil, fmt.Errorf("files/changes.txt: %w", err)
	}
	commits := to
	if from != "" {
		commits = from + ".." + to
	}
	said, err := output(ctx, root, "git", "log", "--reverse", "--format=%H%x00%(trailers:key=Changelog,valueonly,unfold)%x01", commits)
	if err != nil {
		return nil, err
	}
	var out []change
	for commit := range strings.SplitSeq(said, "\x01") {
		hash, trailers, ok := strings.Cut(strings.TrimSpace(commit), "\x00")
		if !ok {
			continue // behind the last one
		}
		for entry := range strings.Lines(strings.Join(words[hash[:hashLength]], "\n") + "\n" + trailers) {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			c, err := parseChange(entry)
			if err != nil {
				return nil, fmt.Errorf("commit %s: %w", hash, err)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// grouped returns changes under the headings of their parts.
func grouped(all []change) string {
	var out strings.Builder
	for _, part := range parts {
		head := "### " + part + "\n\n"
		for _, c := range all {
			if c.part == part {
				out.WriteString(head + "- " + c.words + "\n")
				head = ""
			}
		}
		if head == "" {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// versions returns the tags of versions that a commit contains, the newest first.
func versions(ctx context.Context, root, commit string) ([]string, error) {
	tags, err := output(ctx, root, "git", "tag", "--merged", commit, "--sort=-creatordate", "--list", "v*")
	return strings.Fields(tags), err
}

// printChangelog writes CHANGELOG.md: what changed for users, by version.
func printChangelog(ctx context.Context, w io.Writer, root string) error {
	fmt.Fprintf(w, "# Changelog\n\nWhat changed for those who use emend. `go -C release run . -changelog > CHANGELOG.md` writes this file from the commits.\n\n")
	tags, err := versions(ctx, root, "HEAD")
	if err != nil {
		return err
	}
	for i, to := range append([]string{"HEAD"}, tags...) {
		from, head := "", "Not yet published"
		if i < len(tags) {
			from = tags[i]
		}
		if i > 0 {
			date, err := output(ctx, root, "git", "log", "-1", "--format=%cs", to)
			if err != nil {
				return err
			}
			head = strings.TrimPrefix(to, "v") + ", " + date
		}
		all, err := changes(ctx, root, from, to)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			fmt.Fprintf(w, "## %s\n\n%s", head, grouped(all))
		}
	}
	return nil
}

// writeNotes writes the notes of the release: what changed since the version before.
func (r *release) writeNotes(ctx context.Context) error {
	tags, err := versions(ctx, r.root, "HEAD")
	if err != nil {
		return err
	}
	before := ""
	if i := slices.IndexFunc(tags, func(tag string) bool { return tag != "v"+r.version }); i >= 0 {
		before = tags[i]
	}
	all, err := changes(ctx, r.root, before, "HEAD")
	if err != nil {
		return err
	}
	head := fmt.Sprintf("emend %s, %s\n\nHow to install it, and how to check what you got: %s/blob/v%s/docs/install.md\n\n", r.version,
		r.commit.time.Format("2006-01-02"), homepage, r.version)
	return r.write("NOTES.md", []byte(head+grouped(all)), 0o644)
}
