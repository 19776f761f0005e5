// Package api holds the values of calls on a workspace: requests, data and entries.
package api
