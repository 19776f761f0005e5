package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/ingest"
	"github.com/emend-dev/emend/hub/out"
	"github.com/emend-dev/emend/hub/wire"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	broker         broker.Options
	http           string
	url            string
	cert           string
	key            string
	reserve, quota int64
	otlp           string
	headers        map[string]string
}

// settingsName is a file in the directory of a hub that tells its other commands how it was started.
const settingsName = "serve.json"

// settings are what other commands need to know of a hub that is served.
type settings struct {
	URL       string `json:"url"`
	Own       bool   `json:"own"` // the pages have the hub's own certificate
	NATS      string `json:"nats,omitempty"`
	CA        string `json:"ca,omitempty"`
	Replicas  int    `json:"replicas,omitempty"`
	PolicyKey string `json:"policyKey,omitempty"`
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a hub",
		Long: `serve is a hub in one process: a NATS server with JetStream for what workspaces send, an
index that can be searched, and the pages. Every record that it acknowledges is synced.
At the first start it makes keys and a certificate, and prints how to join and how to sign
in. With --nats it uses a cluster instead of its own server.`,
		Example: `  emend-hub serve
  emend-hub serve --listen :7422 --http :7443 --host hub.example.com --url https://hub.example.com:7443
  emend-hub serve --nats tls://n1:4222,tls://n2:4222,tls://n3:4222 --replicas 3 --nats-ca ca.pem`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runServe(cmd.Context(), f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.broker.Listen, "listen", "127.0.0.1:7422", "where workspaces connect: HOST:PORT")
	fl.StringVar(&f.http, "http", "127.0.0.1:7443", "where the pages are, and where workspaces join: HOST:PORT")
	fl.StringVar(&f.url, "url", "", "how others reach the pages, if that is not --http: https://HOST:PORT")
	fl.StringSliceVar(&f.broker.Names, "host", nil, "a host name or address of this machine, for the certificate")
	fl.StringSliceVar(&f.broker.Advertise, "advertise", nil, "how workspaces reach --listen, if that is another address: tls://HOST:PORT")
	fl.StringVar(&f.cert, "tls-cert", "", "certificate of the pages, instead of the hub's own")
	fl.StringVar(&f.key, "tls-key", "", "key of --tls-cert")
	fl.StringVar(&f.broker.NATS, "nats", "", "servers of a NATS cluster, with commas; see cluster-config")
	fl.StringVar(&f.broker.CA, "nats-ca", "", "file with the roots of the cluster's certificates")
	fl.IntVar(&f.broker.Replicas, "replicas", 1, "copies of each record in a cluster")
	fl.Int64Var(&f.broker.MaxBytes, "max-bytes", 0, "most bytes of records, and as many of diffs and contents; 0 is what the disk has")
	fl.StringVar(&f.otlp, "otlp", "", "also send what was verified as logs to an OpenTelemetry collector: https://HOST:4318")
	fl.StringToStringVar(&f.headers, "otlp-header", nil, "header for the collector: NAME=VALUE")
	fl.Int64Var(&f.reserve, "reserve", 256, "refuse records while the disk has less than so many MiB free")
	fl.Int64Var(&f.quota, "quota", 4096, "most MiB that one workspace may send in a day, without --nats; 0 for any")
	fl.StringVar(&f.broker.PolicyKey, "policy-key", "", `public key that signs policy packs, which joining workspaces pin; see "policy key"`)
	return c
}

func (a *app) runServe(ctx context.Context, f serveFlags) (err error) {
	if (f.cert == "") != (f.key == "") {
		return usage("--tls-cert and --tls-key go together")
	}
	if f.broker.PolicyKey != "" {
		if _, err := wire.ParseKey(f.broker.PolicyKey); err != nil {
			return usage("--policy-key: %w", err)
		}
	}
	log := a.logger()
	f.broker.Dir, f.broker.Log = a.data, log
	b, err := broker.Open(ctx, f.broker)
	if err != nil {
		return err
	}
	defer b.Close()
	x, err := index.Open(ctx, filepath.Join(a.data, "index.db"), 4)
	if err != nil {
		return fmt.Errorf("the index: %w", err)
	}
	defer x.Close()
	ctl, err := control.Open(ctx, b, control.Options{PolicyKey: f.broker.PolicyKey, Log: log})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return fmt.Errorf("the pages: %w", err)
	}
	conf := broker.TLSConfig(b.Certificate())
	if f.cert != "" {
		own, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		conf = broker.TLSConfig(own)
	}
	s := settings{URL: cmp.Or(strings.TrimSuffix(f.url, "/"), "https://"+l.Addr().String()), Own: f.cert == "", NATS: f.broker.NATS, CA: f.broker.CA,
		Replicas: f.broker.Replicas, PolicyKey: f.broker.PolicyKey}
	if err := s.write(a.data); err != nil {
		return err
	}
	if err := a.welcome(ctx, b, ctl, s); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/join", b.JoinHandler())
	a.mountPages(mux, b, x, ctl, s)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	all.Go(func() { cancel(ingest.New(b, x, log).Run(ctx)) })
	all.Go(func() {
		if err := b.Guard(ctx, f.reserve<<20); err != nil {
			cancel(err)
		}
	})
	all.Go(func() { b.Limit(ctx, f.quota<<20) })
	if f.otlp != "" {
		all.Go(func() {
			sender := &out.OTLP{Endpoint: f.otlp, Headers: f.headers, Cursor: filepath.Join(a.data, "otlp.position"), Version: emend.Version().Version, Log: log}
			if err := sender.Run(ctx, &out.Source{Broker: b, Index: x}); err != nil && ctx.Err() == nil {
				log.Error("nothing is sent to the collector any more, until the hub is started again", "error", err)
			}
		})
	}
	all.Go(func() {
		for ctx.Err() == nil {
			if err := ctl.Run(ctx); err != nil && ctx.Err() == nil {
				log.Warn("control begins again", "error", err)
				time.Sleep(time.Second)
			}
		}
	})
	all.Go(func() {
		if err := srv.Serve(tls.NewListener(l, conf)); !errors.Is(err, http.ErrServerClosed) {
			cancel(err)
		}
	})
	<-ctx.Done()
	stopping, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	if srv.Shutdown(stopping) != nil {
		srv.Close()
	}
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// welcome prints how to join and how to sign in, the latter once.
func (a *app) welcome(ctx context.Context, b *broker.Broker, ctl *control.Control, s settings) error {
	token, err := ctl.First(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "pages    %s\n", s.URL)
	if token != "" {
		fmt.Fprintf(a.out, "sign in  %s   (an admin's token, shown once)\n", token)
	}
	members, err := b.Members(ctx)
	if err != nil || len(members) > 0 {
		return err
	}
	i, err := b.Invite(ctx, s.URL, s.Own, wire.Invitation{Name: "first", Uses: 10, Expires: time.Now().Add(24 * time.Hour).UTC(), By: "serve"})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "join     emend-hub join '%s' DIR...   (ten workspaces, for a day)\n", i)
	return nil
}

func (s settings) write(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, settingsName), text, 0o600)
}

// attach connects to the hub that another process serves.
func (a *app) attach(ctx context.Context) (*broker.Broker, settings, error) {
	var s settings
	text, err := os.ReadFile(filepath.Join(a.data, settingsName))
	if err != nil {
		return nil, s, fmt.Errorf("no hub was served from %s: %w", a.data, err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, s, err
	}
	b, err := broker.Attach(ctx, broker.Options{Dir: a.data, NATS: s.NATS, CA: s.CA, Replicas: s.Replicas, PolicyKey: s.PolicyKey, Log: a.logger()})
	return b, s, err
}

// governed runs f with the hub that another process serves, and its control.
func (a *app) governed(ctx context.Context, f func(*broker.Broker, *control.Control, settings) error) error {
	b, s, err := a.attach(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	ctl, err := control.Open(ctx, b, control.Options{PolicyKey: s.PolicyKey, Log: a.logger()})
	if err != nil {
		return err
	}
	return f(b, ctl, s)
}
