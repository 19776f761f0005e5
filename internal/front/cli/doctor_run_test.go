package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAppArmorProfile checks the words of the profile, and has AppArmor's own parser read it where there is one.
func TestAppArmorProfile(t *testing.T) {
	text := appArmorProfile(`/opt/a b/[x]{y}"*?/emend`)
	for _, want := range []string{"\nabi <abi/4.0>,\n", `profile emend "/opt/a b/\[x\]\{y\}\"\*\?/emend" flags=(unconfined) {`, "\n  userns,\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the profile does not have %q:\n%s", want, text)
		}
	}
	parser, err := exec.LookPath("apparmor_parser")
	if err != nil {
		t.Skip("NOT RUN: there is no apparmor_parser")
	}
	if _, err := os.Stat("/etc/apparmor.d/abi/4.0"); err != nil {
		t.Skip("NOT RUN: this AppArmor is older than version 4, with which user namespaces came")
	}
	file := filepath.Join(t.TempDir(), "emend")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(parser, "-Q", "-K", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestRunState(t *testing.T) {
	for _, tt := range []struct {
		state runState
		want  string
	}{
		{runState{Mode: "overlay"}, "over a layer"},
		{runState{Mode: "witness", Why: "no overlay: x", Hint: "Do y."}, "in witness mode: no overlay: x. Do y"},
		{runState{Mode: "witness", Why: "no overlay: x", Confine: "z"}, "in witness mode: no overlay: x; no --confine: z"},
	} {
		if got := tt.state.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.state, got, tt.want)
		}
	}
	if got := (&runState{Restricted: true}).appArmorRow(); !strings.Contains(got, "emend doctor --apparmor") {
		t.Error(got)
	}
	if got := (&runState{Restricted: true, AppArmor: "emend"}).appArmorRow(); got != "the profile emend is loaded for this program" {
		t.Error(got)
	}
}
