// Package escape attacks the engine: every row of its tables is one way in which agents of this kind were led out of
// their workspace, or onto files that run commands, and says what must be true afterwards. It has no code of its own.
//
// Each attack is given to Plan, to Apply and, for a part of them, to the program itself. Beside the workspace lie
// files of somebody else, which must be the same to the byte, inode and time afterwards; so must the workspace be,
// when the attack is to be refused. An attack that is not answered in time counts as a hang.
//
// Races are attacks that another program helps: directories and links change places as fast as the kernel lets them
// while patches are planned and committed through them. EMEND_ESCAPE_RACES multiplies their number.
//
// What it does not prove: anything against a program that writes into the workspace without asking the engine.
package escape
