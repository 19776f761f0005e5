// Package logbook: reads the log as people ask about it.
package logbook
