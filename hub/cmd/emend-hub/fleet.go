package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/wire"
)

func (a *app) print(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (a *app) invite() *cobra.Command {
	var labels []string
	var uses int
	var valid time.Duration
	c := &cobra.Command{
		Use:   "invite [NAME]",
		Short: "Print an invitation for workspaces",
		Long: `invite prints a URL with which workspaces join. Its secret is good for --uses workspaces
until --for is over. The workspaces get the labels.`,
		Example: "  emend-hub invite --label payments,ci --uses 100 --for 720h",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.governed(cmd.Context(), func(_ *broker.Broker, ctl *control.Control, s settings) error {
				i, err := ctl.Invite(cmd.Context(), control.Operator, s.URL, s.Own, wire.Invitation{Name: strings.Join(args, ""), Labels: labels, Uses: uses, Expires: time.Now().Add(valid).UTC()})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.out, i)
				return err
			})
		},
	}
	c.Flags().StringSliceVar(&labels, "label", nil, "labels that the workspaces get")
	c.Flags().IntVar(&uses, "uses", 1, "how many workspaces may join with it")
	c.Flags().DurationVar(&valid, "for", 24*time.Hour, "how long it is good for")
	return c
}

// memberState is a member with what it says of itself.
type memberState struct {
	wire.Member
	State    string         `json:"state"`
	Presence *wire.Presence `json:"presence,omitempty"`
}

func (a *app) members() *cobra.Command {
	return &cobra.Command{
		Use:     "members",
		Aliases: []string{"status"},
		Short:   "List the workspaces that joined, and how they are",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, _, err := a.attach(cmd.Context())
			if err != nil {
				return err
			}
			defer b.Close()
			all, err := memberStates(cmd.Context(), b)
			if err != nil {
				return err
			}
			if a.json {
				return a.print(all)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tSTATE\tRECORDS\tBEHIND\tPOLICY\tLABELS\tID")
			for _, m := range all {
				records, behind, pack := "-", "-", "-"
				if p := m.Presence; p != nil {
					records, behind = fmt.Sprint(p.Shipped.Seq), fmt.Sprint(p.Behind())
					if p.Pack != nil {
						pack = fmt.Sprintf("%s/%d", p.Pack.Name, p.Pack.Version)
					}
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.State, records, behind, pack, strings.Join(m.Labels, ","), m.ID)
			}
			return w.Flush()
		},
	}
}

func memberStates(ctx context.Context, b *broker.Broker) ([]memberState, error) {
	members, err := b.Members(ctx)
	if err != nil {
		return nil, err
	}
	presences, err := b.Presences(ctx)
	if err != nil {
		return nil, err
	}
	out := []memberState{}
	for _, m := range members {
		s := memberState{Member: m}
		if p, ok := presences[m.ID]; ok {
			s.Presence = &p
		}
		switch p := s.Presence; {
		case m.Revoked != nil:
			s.State = "revoked"
		case p == nil || p.Away(time.Now()):
			s.State = "away"
		case p.Lost != nil:
			s.State = "log cut off"
		case p.Frozen != nil:
			s.State = "read-only"
		case p.Problem != "":
			s.State = "ill"
		default:
			s.State = "here"
		}
		out = append(out, s)
	}
	return out, nil
}

// memberNamed finds the one member with a name, an id, or the beginning of an id.
func memberNamed(ctx context.Context, b *broker.Broker, name string) (*wire.Member, error) {
	members, err := b.Members(ctx)
	if err != nil {
		return nil, err
	}
	var found []wire.Member
	for _, m := range members {
		if m.ID == name {
			return &m, nil
		}
		if m.Name == name || len(name) >= 6 && strings.HasPrefix(m.ID, name) {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no workspace %q joined; \"emend-hub members\" lists them", name)
	case 1:
		return &found[0], nil
	}
	return nil, fmt.Errorf("%d workspaces are named %q; use the ID that \"emend-hub members\" shows", len(found), name)
}

func (a *app) label() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "label WORKSPACE [LABEL]...",
		Short: "Set the labels of a workspace, or its name",
		Long:  "label replaces the labels of a workspace. Policy packs, the kill switch and tokens go by labels.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.governed(cmd.Context(), func(b *broker.Broker, ctl *control.Control, _ settings) error {
				m, err := memberNamed(cmd.Context(), b, args[0])
				if err != nil {
					return err
				}
				labels := args[1:]
				if name == "" {
					name = m.Name
				} else if len(labels) == 0 {
					labels = m.Labels
				}
				return ctl.SetMember(cmd.Context(), control.Operator, m.ID, name, labels)
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "a new name")
	return c
}

func (a *app) revoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke WORKSPACE [REASON]",
		Short: "Take a workspace's key out of use, for good",
		Long: `revoke ends the connections of a workspace, and lets it in no more: for a key that was
stolen, or a sandbox that is gone. What it sent stays. The workspace can join again with a
new invitation, as a new one.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.governed(cmd.Context(), func(b *broker.Broker, ctl *control.Control, _ settings) error {
				m, err := memberNamed(cmd.Context(), b, args[0])
				if err != nil {
					return err
				}
				return ctl.Expel(cmd.Context(), control.Operator, m.ID, strings.Join(args[1:], ""))
			})
		},
	}
}

func (a *app) token() *cobra.Command {
	var role string
	var labels []string
	var valid time.Duration
	c := &cobra.Command{
		Use:   "token NAME",
		Short: "Issue a token for a person or a program",
		Long: `token prints a secret with which somebody signs in at the pages: a viewer sees, an approver
answers, undoes and stops, an admin also rolls out policy and manages tokens. It is shown
once; the hub keeps its hash.`,
		Example: "  emend-hub token anna --role approver --label payments",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := control.ParseRole(role)
			if err != nil {
				return usage("--role: %w", err)
			}
			return a.governed(cmd.Context(), func(_ *broker.Broker, ctl *control.Control, _ settings) error {
				t := control.Token{Name: args[0], Role: r, Labels: labels}
				if valid > 0 {
					t.Expires = time.Now().Add(valid).UTC()
				}
				secret, _, err := ctl.Issue(cmd.Context(), control.Operator, t)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.out, secret)
				return err
			})
		},
	}
	c.Flags().StringVar(&role, "role", "viewer", "viewer, approver or admin")
	c.Flags().StringSliceVar(&labels, "label", nil, "only workspaces with one of these labels")
	c.Flags().DurationVar(&valid, "for", 0, "how long it is good for; 0 is until it is revoked")
	return c
}

func (a *app) freeze() *cobra.Command {
	return a.stopping("freeze", "Make workspaces read-only, at once", `freeze keeps a workspace, or all with a label, from being changed, until thaw. It reaches
workspaces whose owners allowed "stop"; those that are not there get it when they come
back.`, (*control.Control).Stop)
}

func (a *app) thaw() *cobra.Command {
	return a.stopping("thaw", "End what freeze began", "thaw lets workspaces be changed again that freeze made read-only, with the same words.", (*control.Control).Resume)
}

func (a *app) stopping(name, short, long string, do func(*control.Control, context.Context, control.Person, control.Stop) ([]control.Result, error)) *cobra.Command {
	var label, reason string
	var all bool
	c := &cobra.Command{
		Use: name + " [WORKSPACE]", Short: short, Long: long, Example: "  emend-hub " + name + " --label payments --reason 'incident 12'",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := len(args) + count(label != "") + count(all); n != 1 {
				return usage("name one WORKSPACE, --label, or --all")
			}
			return a.governed(cmd.Context(), func(b *broker.Broker, ctl *control.Control, _ settings) error {
				s := control.Stop{Label: label, Reason: reason}
				if len(args) == 1 {
					m, err := memberNamed(cmd.Context(), b, args[0])
					if err != nil {
						return err
					}
					s.Workspace = m.ID
				}
				results, err := do(ctl, cmd.Context(), control.Operator, s)
				return errors.Join(err, a.results(results))
			})
		},
	}
	c.Flags().StringVar(&label, "label", "", "all workspaces with this label")
	c.Flags().BoolVar(&all, "all", false, "all workspaces")
	c.Flags().StringVar(&reason, "reason", "", "what agents read")
	return c
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// results prints what workspaces replied. One that refused is an error; one that is not there is not.
func (a *app) results(results []control.Result) error {
	if a.json {
		return a.print(results)
	}
	refused := 0
	for _, r := range results {
		fmt.Fprintf(a.out, "%s  %s\n", r.Workspace, r.Text)
		refused += count(!r.OK && !r.Away)
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d workspaces did not do it", refused, len(results))
	}
	return nil
}

// copyOf is a chain.Past in memory: of the stream, read from its beginning.
type copyOf struct {
	states map[string]chain.State
	hashes map[string]string
}

func (c *copyOf) State(ws string) (chain.State, error) { return c.states[ws], nil }

func (c *copyOf) HashAt(ws string, epoch int, seq uint64) (string, error) {
	return c.hashes[fmt.Sprint(ws, epoch, " ", seq)], nil
}

// chainReport is the result of verify.
type chainReport struct {
	Workspaces map[string]chain.State `json:"workspaces"`
	Findings   []chain.Finding        `json:"findings"`
	Acts       uint64                 `json:"acts"`
	Head       api.Head               `json:"head"` // of the hub's own log
}

func (a *app) verify() *cobra.Command {
	var head string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify every chain again, from the first record",
		Long: `verify reads the whole stream of records from the broker, without the index, and the hub's
own log, and checks each hash and each chain. It prints the head of the hub's log: keep it
elsewhere, and pass it with --head to prove later that nothing before it was changed. The
hashes of all records are held in memory. Exit code 1: somebody may have tampered with a
log.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var kept api.Head
			if head != "" {
				var err error
				if kept, err = parseHead(head); err != nil {
					return usage("--head: %w", err)
				}
			}
			return a.governed(cmd.Context(), func(b *broker.Broker, ctl *control.Control, _ settings) error {
				return a.runVerify(cmd.Context(), b, ctl, kept)
			})
		},
	}
	c.Flags().StringVar(&head, "head", "", "a head of the hub's log that must be in it, as NUMBER:HASH")
	return c
}

func (a *app) runVerify(ctx context.Context, b *broker.Broker, ctl *control.Control, kept api.Head) error {
	own, err := ctl.Verify(ctx, kept)
	if err != nil {
		return err
	}
	rep := chainReport{Acts: own.Acts, Head: own.Head, Findings: []chain.Finding{}}
	past := &copyOf{map[string]chain.State{}, map[string]string{}}
	last, _, err := b.Last(ctx)
	if err != nil {
		return err
	}
	if last > 0 {
		v := chain.New(past)
		done := errors.New("done")
		err = b.Follow(ctx, 0, func(m broker.Message) error {
			got, err := v.Take(m.Stream, m.At, m.Subject, m.Data)
			if err != nil {
				return err
			}
			for _, r := range got.Records {
				past.hashes[fmt.Sprint(got.Workspace, r.Epoch, " ", r.Seq)] = r.H
			}
			past.states[got.Workspace] = got.State
			rep.Findings = append(rep.Findings, got.Findings...)
			if m.Stream >= last {
				return done
			}
			return nil
		}, nil)
		if !errors.Is(err, done) {
			return err
		}
	}
	rep.Workspaces = past.states
	grave := 0
	for _, f := range rep.Findings {
		grave += count(f.Kind.Grave())
	}
	if a.json {
		err = a.print(rep)
	} else {
		var records uint64
		for _, s := range rep.Workspaces {
			records += s.Records
		}
		for _, f := range rep.Findings {
			fmt.Fprintf(a.out, "%s  %s at record %d: %s (have %s, got %s)\n", f.Workspace, f.Kind, f.Seq, f.Text, f.Have, f.Got)
		}
		_, err = fmt.Fprintf(a.out, "%d records of %d workspaces, %d findings; the hub's log has %d acts, head %s\n", records, len(rep.Workspaces), len(rep.Findings), rep.Acts, rep.Head)
	}
	if err == nil && grave > 0 {
		err = fmt.Errorf("%d findings say that somebody may have tampered with a log", grave)
	}
	return err
}
