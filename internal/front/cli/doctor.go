package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/wall"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

func (a *app) doctor() *cobra.Command {
	var migrate, adopt, pack, appArmor bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the store, the disk, pending transactions and clients",
		Long: `doctor checks the workspace. It prints where the store is, what the file system can
do, whether a patch is pending, how large the history is, and which promises are
weaker here than on a local Linux disk. It tests the file system with files of its own
inside the store.

It also checks the installation: which emend runs, whether PATH finds the same one,
who can read the token of emend serve --http, and which agents' programs of this
account are set up for emend, with their own edit tools on or off. It only reads their
files.

With --migrate it moves the store: to the place that --store names, or to where
a new one would be made (beside the repository when there is one).

A store that was copied, restored, or came with a clone is not trusted, since its log
decides what recovery does to files. --adopt takes it over: pending transactions are
closed, and no file is touched.

It tries to set up the overlay that emend run uses, and prints what prevents it, and
on systems with AppArmor whether a profile permits it. --apparmor prints such a profile
for this program; an administrator puts it into /etc/apparmor.d.

Old versions of files are packed automatically while emend is used. --pack packs all
of them now. Nothing is removed from the history.`,
		Example: "  emend doctor\n  emend doctor --json\n  emend doctor --migrate --store ../stores/project",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if appArmor {
				program, err := os.Executable()
				if err == nil {
					program, err = filepath.EvalSymlinks(program)
				}
				if err == nil {
					fmt.Fprint(a.out, appArmorProfile(program))
				}
				return err
			}
			a.hideRecovery = adopt
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			if adopt {
				return a.adopt(ws)
			}
			if migrate {
				return a.migrate(cmd, ws)
			}
			if pack {
				return a.pack(cmd, ws)
			}
			h, err := ws.Host().Doctor(cmd.Context())
			if err != nil {
				return err
			}
			layers, _ := ws.Host().Layers(cmd.Context()) // if the store cannot be opened, the health says so
			return a.printHealth(h, layers, findRun(ws))
		},
	}
	cmd.Flags().BoolVar(&migrate, "migrate", false, "move the store")
	cmd.Flags().BoolVar(&adopt, "adopt", false, "take over a store that was copied here together with its tree")
	cmd.Flags().BoolVar(&pack, "pack", false, "pack the history")
	cmd.Flags().BoolVar(&appArmor, "apparmor", false, "print an AppArmor profile that lets emend run make layers")
	return cmd
}

func (a *app) pack(cmd *cobra.Command, ws *emend.Workspace) error {
	p, err := ws.Host().PackAll(cmd.Context())
	if err != nil {
		return err
	}
	a.done = true
	return a.printValue(p, fmt.Sprintf("Packed %d file(s) of the history, %d bytes.", p.Files, p.SizeBytes))
}

func (a *app) adopt(ws *emend.Workspace) error {
	at, pending, err := ws.Host().Adopt()
	if err != nil {
		return err
	}
	a.done = true
	for _, f := range pending {
		if !a.json {
			fmt.Fprintf(a.err, "emend: an interrupted patch named %s; look whether it is as it should be\n", report.Escape(f))
		}
	}
	return a.printValue(map[string]any{"store": at, "pending": pending}, fmt.Sprintf("The store %s belongs to this tree now.", report.Escape(at)))
}

func (a *app) migrate(cmd *cobra.Command, ws *emend.Workspace) error {
	from, to, err := ws.Host().Migrate(cmd.Context())
	if err != nil {
		return err
	}
	a.done = true
	return a.printValue(map[string]string{"from": from, "to": to}, fmt.Sprintf("Moved the store from %s to %s.", report.Escape(from), report.Escape(to)))
}

func (a *app) printHealth(h *api.Health, layers []api.KeptLayer, run *runState) error {
	c := a.newDoctorReport(h)
	c.Layers, c.Run = layers, run
	var err error
	if a.json {
		err = a.printJSON(c)
	} else if !a.quiet {
		fmt.Fprint(a.out, a.healthText(c))
	}
	if err == nil && len(h.Problems) > 0 {
		return errPrinted
	}
	return err
}

func (a *app) healthText(h *doctorReport) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", a.colorize(bold, fmt.Sprintf("%-12s", name)), report.Escape(fmt.Sprintf(format, args...)))
	}
	row("root", "%s", h.Root)
	row("store", "%s%s", h.Store, map[bool]string{false: " (not there yet; the first apply makes it)"}[h.Exists])
	row("tree", "%s", h.Top)
	row("file system", "%s", h.Filesystem)
	if c := h.Abilities; c != nil {
		row("seen to work", "exchange %s, no-replace %s, replace open %s, hard links %s, lock %s, leases %s, sync %s",
			yesNo(c.Exchange), yesNo(c.NoReplace), yesNo(c.ReplaceOpen), yesNo(c.Links), yesNo(c.Lock), yesNo(c.Lease), yesNo(c.Sync))
	}
	if h.Recovered != nil {
		row("recovered", "%s", tool.RecoveryText(h.Recovered))
	}
	if h.Exists {
		row("lock", "%s", cmp.Or(h.Locked, "free"))
		row("pending", "%s", cmp.Or(h.Pending, "nothing"))
	}
	if h.Log != nil {
		row("log", "%d record(s), head %s", h.Log.Seq, h.Log)
	}
	if h.History != nil {
		row("history", "%d file(s), %d bytes", h.History.Files, h.History.Bytes)
	}
	if n := len(h.Orphans); n > 0 {
		row("garbage", "%d transaction(s) left files in the store when the power was cut: %s", n, strings.Join(h.Orphans, " "))
	}
	row("emend run", "%s", h.Run)
	if h.Run.Restricted {
		row("apparmor", "%s", h.Run.appArmorRow())
	}
	if len(h.Layers) > 0 {
		row("layers", "%s", layersText(h.Layers))
	}
	if h.Landlock > 0 {
		row("landlock", "version %d: emend serve and emend ui keep themselves out of everything but their workspaces; it restricts %s", h.Landlock, strings.Join(wall.Scope(), ", "))
	} else if wall.Expected {
		row("landlock", "not in this kernel, or one before version 2: emend serve and emend ui are kept in by their own rules alone")
	}
	row("binary", "%s", h.Binary)
	row("token", "%s", h.Token)
	writeRows(&b, "clients", clientLines(h.Clients), "none of those that emend setup knows was found")
	writeRows(&b, "limits", h.Weaker, "none")
	writeRows(&b, "problems", h.Problems, "none")
	return b.String()
}

func writeRows(b *strings.Builder, name string, items []string, none string) {
	if len(items) == 0 {
		items = []string{none}
	}
	for i, item := range items {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "%-12s %s\n", name, report.Escape(item))
	}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
