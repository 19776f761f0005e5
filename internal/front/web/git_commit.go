package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/gitobjects"
	"github.com/emend-dev/emend/patch"
)

// gitCommit is a commit of git.
type gitCommit struct {
	ID, Short, Subject string
	Time               time.Time
}

// What is read of a repository for one page. A history that is longer says nothing.
const (
	maxPageCommits   = 300
	maxPageBlobs     = 200
	maxPageBlobBytes = 8 << 20
)

// commitFinder finds the commits that have what a change made of its files: the oldest since the change, along the first parents of HEAD.
// So it is the commit itself on the branch where it was made, and the merge elsewhere.
type commitFinder struct {
	repo    *gitobjects.Repo
	commits []*gitobjects.Commit // the newest first; the last is older than the change, if the history has such a one
	newer   int                  // how many of them are not older
	sums    map[gitobjects.ID]string
}

// newCommitFinder returns nil where there is no repository that can be read, or too many commits since a time.
func newCommitFinder(root string, since time.Time) *commitFinder {
	repo, err := gitobjects.Open(root)
	if err != nil {
		return nil
	}
	f := &commitFinder{repo: repo, sums: map[gitobjects.ID]string{}}
	id, err := repo.Head()
	for since = since.Truncate(time.Second); err == nil; id = f.commits[len(f.commits)-1].Parents[0] {
		var c *gitobjects.Commit
		if c, err = repo.Commit(id); err != nil || len(f.commits) == maxPageCommits {
			break
		}
		f.commits = append(f.commits, c)
		if c.Time.Before(since) || len(c.Parents) == 0 {
			if !c.Time.Before(since) {
				f.newer++
			}
			return f
		}
		f.newer++
	}
	repo.Close()
	return nil
}

// find returns the oldest commit that has one of some contents at a path; with none, the one that deleted the path.
func (f *commitFinder) find(path string, contents []string) *gitCommit {
	for i := f.newer - 1; i >= 0; i-- {
		c := f.commits[i]
		id, err := f.repo.BlobAt(c.Tree, path)
		switch {
		case len(contents) == 0 && err != nil:
			if i+1 == len(f.commits) {
				continue
			}
			if _, err := f.repo.BlobAt(f.commits[i+1].Tree, path); err != nil {
				continue
			}
		case len(contents) == 0, err != nil, !slices.Contains(contents, f.sum(id)):
			continue
		}
		return &gitCommit{c.ID.String(), c.ID.String()[:9], c.Subject, c.Time}
	}
	return nil
}

// sum returns the SHA-256 of a blob's content; "" if it is too large, or too many were read.
func (f *commitFinder) sum(id gitobjects.ID) string {
	if sum, ok := f.sums[id]; ok || len(f.sums) == maxPageBlobs {
		return sum
	}
	f.sums[id] = ""
	if content, err := f.repo.Blob(id, maxPageBlobBytes); err == nil {
		sum := sha256.Sum256(content)
		f.sums[id] = hex.EncodeToString(sum[:])
	}
	return f.sums[id]
}

// addCommits says of each file of a change in which commit of git the change now stands: the oldest that has the file as the change left
// it, or as a later change did. A change that was undone stands in none. Files that git stores in another form, as with a filter or
// other line ends, are not found.
func (r *request) addCommits(p *changePage, since []api.FileSince) {
	if !changesFiles(&p.EntryData) || !p.OK || p.UndoneBy != "" || len(p.UndoneParts) > 0 {
		return
	}
	finder := newCommitFinder(r.ws.Root(), p.Timestamp)
	if finder == nil {
		return
	}
	defer finder.repo.Close()
	for i := range p.Files {
		f := &p.Files[i]
		if f.Operation == patch.Delete.String() {
			f.Commit = finder.find(f.Path, nil)
			continue
		}
		contents := []string{f.AfterSha256}
		if f.N < len(since) {
			for _, later := range since[f.N].By {
				contents = append(contents, later.AfterSha256)
			}
		}
		if contents = slices.DeleteFunc(contents, func(sum string) bool { return sum == "" }); len(contents) > 0 {
			f.Commit = finder.find(cmp.Or(f.ToPath, f.Path), contents)
		}
	}
}
