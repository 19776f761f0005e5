package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/wire"
)

func parseHead(s string) (api.Head, error) { return emend.ParseHead(s) }

func (a *app) policy() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Sign, publish and roll out policy packs",
		Long: `A policy pack is a policy file with a name and a version, signed with a key that stays away
from the hub. Workspaces pin the public key when they join. They take a pack only if it is
signed by that key, has the name of the one before, and a higher version and a later time.`,
		Example: `  emend-hub policy key pack.key                       # once; prints the public key for serve --policy-key
  emend-hub policy sign --key pack.key team 1 policy.toml > team-1.json
  emend-hub policy publish team-1.json
  emend-hub policy rollout team 1 --label payments`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.policyKey(), a.policySign(), a.policyPublish(), a.policyRollout())
	return c
}

func (a *app) policyKey() *cobra.Command {
	return &cobra.Command{
		Use:   "key FILE",
		Short: "Make a key for signing packs, and print its public part",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			public, private, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				return err
			}
			der, err := x509.MarshalPKCS8PrivateKey(private)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			if err := errors.Join(pem.Encode(f, &pem.Block{Type: "PRIVATE KEY", Bytes: der}), f.Close()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, wire.KeyText(public))
			return err
		},
	}
}

func readKey(file string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is no key in PEM", file)
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s is no Ed25519 key", file)
	}
	return key, nil
}

func (a *app) policySign() *cobra.Command {
	var key, note string
	c := &cobra.Command{
		Use:   "sign NAME VERSION FILE",
		Short: "Sign a policy file as a pack, and print it",
		Args:  cobra.ExactArgs(3),
		RunE: func(_ *cobra.Command, args []string) error {
			version, err := strconv.ParseUint(args[1], 10, 64)
			if err != nil || version == 0 {
				return usage("VERSION is a number from 1, not %q", args[1])
			}
			if key == "" {
				return usage("--key names the file with the key; \"emend-hub policy key\" makes one")
			}
			private, err := readKey(key)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(args[2])
			if err != nil {
				return err
			}
			signed, err := wire.Sign(wire.Pack{Name: args[0], Version: version, At: time.Now().UTC(), Policy: string(text), Note: note}, private)
			if err != nil {
				return err
			}
			return a.print(signed)
		},
	}
	c.Flags().StringVar(&key, "key", "", "file with the key")
	c.Flags().StringVar(&note, "note", "", "what changed, for people")
	return c
}

func (a *app) policyPublish() *cobra.Command {
	return &cobra.Command{
		Use:   "publish FILE",
		Short: "Bring a signed pack to the hub",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			signed := new(wire.SignedPack)
			if err := json.Unmarshal(text, signed); err != nil {
				return fmt.Errorf("%s is no signed pack: %w", args[0], err)
			}
			return a.governed(cmd.Context(), func(_ *broker.Broker, ctl *control.Control, _ settings) error {
				p, err := ctl.Publish(cmd.Context(), control.Operator, signed)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "%s is published\n", p.ID())
				return err
			})
		},
	}
}

func (a *app) policyRollout() *cobra.Command {
	var label string
	c := &cobra.Command{
		Use:   "rollout NAME VERSION",
		Short: "Give workspaces a published pack",
		Long: `rollout gives the workspaces with a label, or all, a published pack. It reaches workspaces
whose owners allowed "policy"; those that are not there get it when they come back.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := strconv.ParseUint(args[1], 10, 64)
			if err != nil {
				return usage("VERSION is a number, not %q", args[1])
			}
			return a.governed(cmd.Context(), func(_ *broker.Broker, ctl *control.Control, _ settings) error {
				results, err := ctl.RollOut(cmd.Context(), control.Operator, control.Rollout{Label: label, Pack: wire.PackName{Name: args[0], Version: version}})
				return errors.Join(err, a.results(results))
			})
		},
	}
	c.Flags().StringVar(&label, "label", "", "only workspaces with this label")
	return c
}

func (a *app) clusterConfig() *cobra.Command {
	return &cobra.Command{
		Use:   "cluster-config",
		Short: "Print what the servers of a NATS cluster need to trust the hub",
		Long: `cluster-config prints the part of a nats-server's configuration that makes it trust this
hub's keys. It makes the keys in --data if there are none. Use the same for every server,
then "emend-hub serve --nats".`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := broker.ClusterConfig(a.data)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.out, s)
			return err
		},
	}
}
