// Package escape attacks the engine. Each row of its tables is one way in which agents were led out of their workspace, or
// onto files that run commands, and says what must be true afterwards. It has tests only.
//
// Each attack goes to Plan, to Apply and, for a part of them, to the program. The workspace has neighbours that belong to
// somebody else. They must not change in bytes, inode or time, and neither must the workspace if the attack has to be
// refused. An attack without an answer in time counts as a hang.
//
// Races are attacks with the help of another program: directories and links are exchanged as fast as possible while patches
// are planned and committed through them. EMEND_ESCAPE_RACES multiplies their number.
//
// Attacks on repositories are judged by git: the one in PATH, and those that EMEND_GITS names, separated as in PATH. After
// each attack git runs in every directory that is left. It must find no repository that was not there before, and run nothing
// of the workspace's.
//
// It does not protect against a program that writes into the workspace without the engine.
package escape
