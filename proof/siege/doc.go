// Package siege runs hundreds of sessions on one server at once, over HTTP and with both kinds of protocol revisions, and
// ends the server while they work, by SIGTERM and by kill -9. It has tests only.
//
// Every session keeps a ledger of its requests and answers. Afterwards the log, the tree and the ledgers must agree: every
// acknowledged change is in the log as it was answered; every change in the log was acknowledged, or was requested when the
// server ended; and the tree is what the log makes of the first tree, byte for byte.
//
// By default it is short. For two hundred sessions and a minute:
//
//	EMEND_SIEGE_SECONDS=60 EMEND_SIEGE_SESSIONS=200 go -C proof test -v -run Siege ./siege
package siege
