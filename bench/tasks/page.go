package main

// pageText is the page of results. What is said of programs that were not run is what their documentation says.
const pageText = `# Tasks after an agent has worked

Written by ` + "`go -C bench run ./tasks`" + `, with GIT. A project with one commit; an agent changes ten places of a file, then deletes
a file with a line that is not committed, and makes another. Keys are all characters, with Enter; seconds are the median of ROUNDS runs of the
commands, without the typing. Each run begins with a new project, and its result is checked.

| task | emend | emend's pages | git | difference |
|---|---|---|---|---|
ROWS

Clicks are counted from the timeline on, by ` + "`go -C proof test -v -run TaskClicks ./browser`" + `, which does each task in Chromium.

## As documented

These were not run. No keys or seconds are given.

| task | jj | lazygit | Local History of JetBrains' IDEs |
|---|---|---|---|
| find who changed a line | ` + "`jj file annotate cart.go`" + `: by change | by commit, as git | revisions of a file, without an author |
| undo one hunk of ten | ` + "`jj restore -i`" + `, in an editor of diffs | the file, the hunk, ` + "`d`" + ` | Show History, then by hand from the diff of a revision |
| approve an agent's call | – | – | – |
| restore a deleted file by its name | ` + "`jj restore notes.md`" + `: as in the parent | the file, ` + "`d`" + `: as committed | Show History of the directory, Revert: as it was, committed or not |
| undo what came of the last prompt | ` + "`jj undo`" + ` undoes commands of jj | ` + "`z`" + ` undoes by the reflog, and no changes of files | Revert to a revision, by its time |
| see what an agent did since the last commit | ` + "`jj diff`" + `: whoever did it | the list of files: whoever did it | revisions by time, also of changes outside the IDE |

Sources: [jj file annotate](https://man.archlinux.org/man/jj-file-annotate.1.en), [jj restore](https://man.archlinux.org/man/jj-restore.1.en.txt),
[jj undo since 0.33](https://github.com/jj-vcs/jj/releases/tag/v0.33.0), [lazygit: keys](https://github.com/jesseduffield/lazygit/blob/master/docs/keybindings/Keybindings_en.md),
[lazygit: undo](https://github.com/jesseduffield/lazygit/blob/master/docs/Undoing.md), [JetBrains: Local History](https://www.jetbrains.com/help/mps/2019.3/local-history.html).
`
