// Package siege puts hundreds of sessions on one server at once, over HTTP and in both kinds of revision of the protocol,
// and then ends the server in the middle of their work, by SIGTERM and by kill -9. It is its tests, and no other package
// imports it.
//
// Every session keeps a ledger: what it asked for, and what was answered. Afterwards the log, the tree and the ledger have to
// agree: a change that was answered is in the log as it was answered; a change in the log was answered, or was asked for
// when the server ended; and the tree is what the log makes of the first tree, byte for byte.
//
// By default it is short. Two hundred sessions for a minute:
//
//	EMEND_SIEGE_SECONDS=60 EMEND_SIEGE_SESSIONS=200 go -C proof test -v -run Siege ./siege
package siege
