// Package api defines the values of the calls of package emend: what a caller fills in (requests and options), what it gets (answers, and
// their data) and what the log, the trash and the history contain.
//
// It has no behaviour and imports no other package of emend but patch. The tags of the fields are part of the schemas that agents read, and
// their JSON is what agents send and get.
package api
