package history

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// NewID names a transaction: the time, for people who read it in a list, and enough randomness to be unique. It is not
// a secret. math/rand/v2, which the kernel seeds for each process, starts no clock and no thread.
func NewID(now time.Time) string {
	id := now.UTC().AppendFormat(nil, "20060102-150405-")
	n := rand.Uint64()
	for range 10 {
		id = append(id, "abcdefghijklmnopqrstuvwxyz234567"[n%32])
		n /= 32
	}
	return string(id)
}

// TimeOf returns when a transaction was named. ok is false if tx is not the name of one.
func TimeOf(tx string) (at time.Time, ok bool) {
	i := strings.LastIndexByte(tx, '-')
	if i < 0 || len(tx)-i != 11 {
		return at, false
	}
	at, err := time.Parse("20060102-150405", tx[:i])
	return at, err == nil
}

// Slot returns the name of slot n of a transaction. People use the same name for the displaced file in it.
func Slot(tx string, n int) string { return tx + "." + strconv.Itoa(n) }

// ParseSlot splits the name of a slot. ok is false for any other name.
func ParseSlot(name string) (tx string, n int, ok bool) {
	tx, number, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	if _, made := TimeOf(tx); !made || err != nil || n < 0 || Slot(tx, n) != name {
		return "", 0, false
	}
	return tx, n, true
}

// NewLink is the second name of the new content of a slot. File systems without a journal need it.
func NewLink(slot string) string { return slot + ".new" }

// OldLink is the second name of the file that a slot's transaction displaces. File systems without a journal need it.
// If it exists it is the displaced file, whatever the slot has.
func OldLink(slot string) string { return slot + ".old" }

// Aside is the name of a file on its way into a slot where two names cannot be exchanged.
func Aside(slot string) string { return slot + ".aside" }

// TakenBackName is the marker file that says that a transaction was taken back, whatever the log has of it.
func TakenBackName(tx string) string { return tx + ".back" }

// Names returns all names that a slot may have.
func Names(slot string) []string { return []string{slot, NewLink(slot), OldLink(slot), Aside(slot)} }

// DiffName is the name of a transaction's diff.
func DiffName(tx string) string { return tx + ".diff" }

// AnswerName is the name of a transaction's answer, which is stored if the transaction has a key.
func AnswerName(tx string) string { return tx + ".answer" }
