package logbook

import "slices"

const (
	MaxHours    = 2000
	MaxSessions = 1000
	maxNames    = 1000 // of agents, of clients, of tools
)

// Joined is a sorted list with new names in it.
func Joined(list []string, more nameSet) []string {
	for name := range more {
		if i, known := slices.BinarySearch(list, name); !known && len(list) < maxNames {
			list = slices.Insert(list, i, name)
		}
	}
	return list
}
