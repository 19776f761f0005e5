// Package broker keeps what workspaces send: streams and buckets of NATS JetStream, in an embedded server whose every write is
// synced, or in a cluster. It enrols workspaces and limits each to its own subjects. It does not verify records (see package chain).
package broker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say where a broker is.
type Options struct {
	Dir      string   // keys, certificate, and the store of an embedded server
	Listen   string   // where an embedded server takes workspaces: HOST:PORT
	Names    []string // further host names and addresses for the certificate
	NATS     string   // URLs of a cluster, with commas; "" for an embedded server
	Replicas int      // copies of each stream in a cluster; 0 for 1
	MaxBytes int64    // the most that the records may take; 0 for what the disk has
	Log      *slog.Logger
}

// Broker is an open broker.
type Broker struct {
	o    Options
	keys *keys
	srv  *server.Server // nil with a cluster
	nc   *nats.Conn
	js   jetstream.JetStream

	fleet, presence, questions jetstream.KeyValue
}

// ErrAway says that a workspace did not answer: its joined process is not there.
var ErrAway = errors.New("the workspace is not there: no joined process answered")

// Message is a message of the records stream.
type Message struct {
	Stream  uint64
	At      time.Time
	Subject string
	Data    []byte
}

// JetStream is for the buckets of other rooms.
func (b *Broker) JetStream() jetstream.JetStream { return b.js }

// Conn is the hub's own connection.
func (b *Broker) Conn() *nats.Conn { return b.nc }

// Embedded reports whether the server runs in this process.
func (b *Broker) Embedded() bool { return b.srv != nil }

var _ = context.Background
