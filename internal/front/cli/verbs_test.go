package cli

import "testing"

// A verb that is made alone has the same usage as among the others.
func TestVerbAlone(t *testing.T) {
	all := (&app{}).command()
	for _, v := range verbs {
		root := (&app{}).command(v.name)
		if n := len(root.Commands()); n != 1 || root.Commands()[0].Name() != v.name {
			t.Fatalf("%s: %d verbs were made, the first is %s", v.name, n, root.Commands()[0].Name())
		}
		one := root.Commands()[0]
		among, _, err := all.Find([]string{v.name})
		if err != nil || among.Name() != v.name || one.UsageString() != among.UsageString() {
			t.Errorf("%s: found %s (%v), with the usage\n%s\nand alone\n%s", v.name, among.Name(), err, among.UsageString(), one.UsageString())
		}
	}
	for _, args := range [][]string{{"-q", "apply"}, {"--session", "log", "apply"}, {"--session=s", "--json", "--root", "r", "apply", "log"}} {
		if made := (&app{}).command(args...).Commands(); len(made) != 1 || made[0].Name() != "apply" {
			t.Errorf("%q: %d verbs, the first is %s", args, len(made), made[0].Name())
		}
	}
	for _, args := range [][]string{nil, {"help"}, {"completion", "bash"}, {"__complete", ""}, {"man"}, {"--help", "apply"}, {"-q"}, {"--session"},
		{"--session", "apply"}, {"-x", "apply"}, {"-qx", "apply"}, {"--json=true", "apply"}, {"--", "apply"}} {
		if n := len((&app{}).command(args...).Commands()); n != len(verbs)+1 {
			t.Errorf("%q: %d verbs", args, n)
		}
	}
}
