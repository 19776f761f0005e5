// Package broker keeps what workspaces send: streams and buckets of NATS JetStream, in an embedded server whose every write is
// synced, or in a cluster. It enrols workspaces and limits each to its own subjects. It does not verify records (see package chain).
package broker

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend/hub/wire"
)

// Options say where a broker is.
type Options struct {
	Dir       string   // keys, certificate, and the store of an embedded server
	Listen    string   // where an embedded server takes workspaces: HOST:PORT; port 0 for any
	Advertise []string // the servers that workspaces are told, as tls://HOST:PORT; by default Listen, or the cluster
	Names     []string // further host names and addresses for the certificate
	NATS      string   // URLs of a cluster, with commas; "" for an embedded server
	CA        string   // a file with the roots of the cluster's certificates; "" for those of the system
	Replicas  int      // copies of each stream in a cluster; 0 for 1
	MaxBytes  int64    // the most that the records may take, and the extras as well; 0 for what the disk has
	PolicyKey string   // the key of policy packs that joining workspaces pin
	Log       *slog.Logger
}

// Broker is an open broker.
type Broker struct {
	o    Options
	keys *keys
	cert tls.Certificate
	srv  *server.Server // nil with a cluster
	nc   *nats.Conn
	js   jetstream.JetStream
	ca   string // PEM of the cluster's roots

	fleet, presence, questions jetstream.KeyValue

	spoken    spoken
	stop      context.CancelFunc // ends what runs in the background
	listening sync.WaitGroup
}

// ErrAway says that a workspace did not answer: its joined process is not there.
var ErrAway = errors.New("the workspace is not there: no joined process answered")

// Open opens the broker, and makes what it has not yet: keys, certificate, streams.
func Open(ctx context.Context, o Options) (_ *Broker, err error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	b := &Broker{o: o}
	if err := b.open(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if o.NATS == "" {
		err = b.startServer()
	} else {
		err = b.connectCluster()
	}
	if err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.nc); err != nil {
		return nil, err
	}
	if err = b.makeStreams(ctx); err != nil {
		return nil, fmt.Errorf("the hub's streams: %w", err)
	}
	if err = b.revokeAgain(ctx); err != nil {
		return nil, fmt.Errorf("the keys that were revoked: %w", err)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	var hear sync.WaitGroup
	for _, kv := range []jetstream.KeyValue{b.presence, b.questions} {
		hear.Add(1)
		b.listening.Go(func() { b.listen(background, kv, sync.OnceFunc(hear.Done)) })
	}
	b.listening.Go(func() {
		hear.Wait()
		b.sayAgain(background)
	})
	return b, nil
}

// open reads the hub's keys and its certificate, or makes them.
func (b *Broker) open() (err error) {
	if b.keys, err = openKeys(b.o.Dir); err != nil {
		return fmt.Errorf("the hub's keys: %w", err)
	}
	if b.cert, err = certificate(b.o.Dir, b.o.Names); err != nil {
		return fmt.Errorf("the hub's certificate: %w", err)
	}
	return nil
}

// startServer starts the embedded server.
func (b *Broker) startServer() error {
	host, port, err := net.SplitHostPort(b.o.Listen)
	if err != nil {
		return fmt.Errorf("where to listen: %w", err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("where to listen: port %q is no number", port)
	}
	if n == 0 {
		n = server.RANDOM_PORT
	}
	account, err := b.keys.accountJWT()
	if err != nil {
		return err
	}
	accounts, err := server.NewDirAccResolver(filepath.Join(b.o.Dir, "nats", "accounts"), 0, 0, server.NoDelete)
	if err != nil {
		return err
	}
	if err := errors.Join(accounts.Store(b.keys.accountID, account), accounts.Store(b.keys.systemID, b.keys.systemJWT)); err != nil {
		return err
	}
	operator, err := jwt.DecodeOperatorClaims(b.keys.operatorJWT)
	if err != nil {
		return err
	}
	b.srv, err = server.NewServer(&server.Options{
		ServerName: "emend-hub", Host: host, Port: n, NoSigs: true, MaxPayload: wire.MaxMessage, MaxPending: 64 << 20,
		JetStream: true, StoreDir: filepath.Join(b.o.Dir, "nats"), SyncAlways: true, JetStreamMaxStore: -1, JetStreamMaxMemory: 256 << 20,
		TLS: true, TLSConfig: TLSConfig(b.cert), TLSTimeout: 10, AuthTimeout: 20,
		TrustedOperators: []*jwt.OperatorClaims{operator}, AccountResolver: accounts, SystemAccount: b.keys.systemID,
		WriteDeadline: 10 * time.Second, NoSystemAccount: false, DisableShortFirstPing: true,
	})
	if err != nil {
		return fmt.Errorf("the embedded NATS server: %w", err)
	}
	b.srv.SetLoggerV2(&serverLog{b.o.Log}, false, false, false)
	b.srv.Start()
	if !b.srv.ReadyForConnections(time.Minute) {
		return errors.New("the embedded NATS server is not ready after a minute")
	}
	if b.nc, err = b.dial(b.keys.hub); err != nil {
		return err
	}
	return writeFile(filepath.Join(b.o.Dir, addressName), []byte("tls://"+b.srv.Addr().String()+"\n"), 0o600)
}

// addressName is a file that says where the embedded server listens, for [Attach].
const addressName = "address"

// Attach connects to the broker that another process keeps open, whose directory is o.Dir.
func Attach(ctx context.Context, o Options) (*Broker, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	b := &Broker{o: o}
	if _, err := os.Stat(filepath.Join(o.Dir, keysName)); err != nil {
		return nil, fmt.Errorf("%s is not the directory of a hub: %w", o.Dir, err)
	}
	err := b.open()
	if err == nil && o.NATS == "" {
		var address []byte
		if address, err = os.ReadFile(filepath.Join(o.Dir, addressName)); err == nil {
			b.o.NATS = strings.TrimSpace(string(address))
			b.ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.cert.Leaf.Raw}))
		}
	}
	if err == nil {
		err = b.connectCluster()
	}
	if err == nil {
		b.js, err = jetstream.New(b.nc)
	}
	if err == nil {
		err = b.bind(ctx)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("no hub answers that has its directory in %s: %w", o.Dir, err)
	}
	return b, nil
}

// connectCluster connects to a cluster whose servers trust the hub's operator (see [Broker.ClusterConfig]).
func (b *Broker) connectCluster() (err error) {
	if b.o.CA != "" {
		text, err := os.ReadFile(b.o.CA)
		if err != nil {
			return err
		}
		b.ca = string(text)
	}
	b.nc, err = b.dial(b.keys.hub)
	if err != nil {
		return fmt.Errorf("the NATS cluster at %s: %w", b.o.NATS, err)
	}
	return nil
}

func (b *Broker) dial(as user) (*nats.Conn, error) {
	o := []nats.Option{nats.Name("hub"), as.option(), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(10 * time.Second)}
	if b.srv != nil {
		o = append(o, nats.InProcessServer(b.srv))
	}
	if b.ca != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(b.ca)) {
			return nil, fmt.Errorf("%s has no certificate", b.o.CA)
		}
		o = append(o, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}))
	}
	return nats.Connect(b.o.NATS, o...)
}

func (u user) option() nats.Option {
	return nats.UserJWT(func() (string, error) { return u.jwt, nil }, u.key.Sign)
}

// makeStreams makes the streams and buckets, or brings their configuration up to date. None of the streams that a workspace may
// publish in allows rollup, purge or delete by a message: a header of one workspace could otherwise remove what others sent.
func (b *Broker) makeStreams(ctx context.Context) (err error) {
	most := cmp.Or(b.o.MaxBytes, -1)
	replicas := max(1, b.o.Replicas)
	for _, s := range []jetstream.StreamConfig{
		{Name: wire.Records, Description: "batches of records", Subjects: []string{wire.RecordsSubject("*")}, Storage: jetstream.FileStorage,
			MaxBytes: most, Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true, AllowDirect: true},
		{Name: wire.Extras, Description: "diffs and contents, each written once", Subjects: []string{wire.DiffsSubject("*", ""), wire.ContentSubject("*", "", "")},
			Storage: jetstream.FileStorage, MaxBytes: most, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, DenyDelete: true,
			DenyPurge: true, AllowDirect: true},
		{Name: "KV_" + wire.Presences, Subjects: []string{wire.PresenceSubject(">")}, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1,
			Discard: jetstream.DiscardNew, DenyDelete: true, AllowDirect: true, MaxMsgSize: 256 << 10},
		{Name: "KV_" + wire.Questions, Subjects: []string{"$KV." + wire.Questions + ".>"}, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1,
			Discard: jetstream.DiscardNew, DenyDelete: true, AllowDirect: true, MaxMsgSize: 256 << 10, MaxAge: time.Hour},
	} {
		s.Replicas, s.Duplicates = replicas, time.Second
		if _, err := b.js.CreateOrUpdateStream(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if _, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: wire.Fleet, Replicas: replicas, History: 5}); err != nil {
		return err
	}
	return b.bind(ctx)
}

// bind opens the buckets, which are there.
func (b *Broker) bind(ctx context.Context) (err error) {
	if b.fleet, err = b.js.KeyValue(ctx, wire.Fleet); err != nil {
		return err
	}
	if b.presence, err = b.js.KeyValue(ctx, wire.Presences); err != nil {
		return err
	}
	b.questions, err = b.js.KeyValue(ctx, wire.Questions)
	return err
}

// Close stops the connection and the embedded server.
func (b *Broker) Close() {
	if b.stop != nil {
		b.stop()
		b.listening.Wait()
	}
	if b.nc != nil {
		b.nc.Close()
	}
	if b.srv != nil {
		b.srv.Shutdown()
		b.srv.WaitForShutdown()
	}
}

// JetStream is for the buckets of other rooms.
func (b *Broker) JetStream() jetstream.JetStream { return b.js }

// Replicas returns the number of copies for buckets of other rooms.
func (b *Broker) Replicas() int { return max(1, b.o.Replicas) }

// Conn is the hub's own connection.
func (b *Broker) Conn() *nats.Conn { return b.nc }

// Embedded reports whether the server runs in this process.
func (b *Broker) Embedded() bool { return b.srv != nil }

// Certificate is the hub's certificate, for its pages as well.
func (b *Broker) Certificate() tls.Certificate { return b.cert }

// Pin names the key of the hub's certificate, as invitations have it.
func (b *Broker) Pin() string { return wire.PinOf(b.cert.Leaf) }

// Servers are the servers that workspaces are told.
func (b *Broker) Servers() []string {
	switch {
	case b.o.Advertise != nil:
		return b.o.Advertise
	case b.srv == nil:
		return strings.Split(b.o.NATS, ",")
	default:
		return []string{"tls://" + b.srv.Addr().String()}
	}
}

// serverLog passes the warnings and errors of the embedded server on. Its notices are about starting and stopping.
type serverLog struct{ log *slog.Logger }

func (l *serverLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *serverLog) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l *serverLog) Fatalf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l *serverLog) Debugf(format string, v ...any)  {}
func (l *serverLog) Tracef(format string, v ...any)  {}
