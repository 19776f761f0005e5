//go:build !linux

package line

import "time"

// Spent is not supported here and returns 0.
func Spent(int) (time.Duration, error) { return 0, nil }

func Resident(int) int64 { return 0 }

func ResidentNow(int) int64 { return 0 }

// OwnNow cannot be known here.
func OwnNow(int) int64 { return 0 }
