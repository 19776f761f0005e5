package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inside are the parts of the repository that change nothing for those who use emend.
var inside = []string{"agents", "bench", "browser", "ci", "growth", "interop", "merge", "proof", "release", "scenes", "soak", "sweep", "test", "tests", "writers"}

// changelog returns what the commits since a tag say, by the part of emend that they are about, the newest first. Without a tag it is
// all commits.
func (r *release) changelog(ctx context.Context, from, to string) (string, error) {
	what := to
	if from != "" {
		what = from + ".." + to
	}
	said, err := output(ctx, r.root, "git", "log", "--no-merges", "--format=%s", what)
	if err != nil {
		return "", err
	}
	parts := map[string][]string{}
	for subject := range strings.Lines(said) {
		subject = strings.TrimSpace(subject)
		part, text, ok := strings.Cut(subject, ": ")
		if !ok || strings.ContainsAny(part, " ") && !strings.Contains(part, ", ") {
			part, text = "emend", subject
		}
		part, _, _ = strings.Cut(strings.ToLower(part), ",")
		room, _, _ := strings.Cut(part, "/")
		if room == "internal" {
			room = strings.TrimPrefix(part, "internal/")
		}
		if !slices.Contains(inside, room) {
			parts[room] = append(parts[room], text)
		}
	}
	var out strings.Builder
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(&out, "**%s**\n\n", part)
		for _, text := range parts[part] {
			fmt.Fprintf(&out, "- %s\n", strings.ToUpper(text[:1])+text[1:])
		}
		out.WriteString("\n")
	}
	return out.String(), nil
}

// writeNotes writes the notes of the release: what changed since the one before.
func (r *release) writeNotes(ctx context.Context) error {
	tags, err := output(ctx, r.root, "git", "tag", "--merged", "HEAD", "--sort=-creatordate", "--list", "v*")
	if err != nil {
		return err
	}
	before := ""
	for tag := range strings.Lines(tags) {
		if tag = strings.TrimSpace(tag); tag != "v"+r.version {
			before = tag
			break
		}
	}
	text, err := r.changelog(ctx, before, "HEAD")
	if err != nil {
		return err
	}
	if before == "" {
		text = "The first version.\n"
	}
	head := fmt.Sprintf("emend %s, %s\n\nHow to install it, and how to check what you got: %s/blob/v%s/docs/install.md\n\n", r.version,
		r.commit.time.Format("2006-01-02"), homepage, r.version)
	return r.write("NOTES.md", []byte(head+text), 0o644)
}
