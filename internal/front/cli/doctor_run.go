package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/overlay"
)

// runState says how emend run works here.
type runState struct {
	Mode     string `json:"mode"`              // of --mode auto: overlay or witness
	Why      string `json:"why,omitempty"`     // why there can be no layer
	Hint     string `json:"hint,omitempty"`    // what a person can do about it
	Confine  string `json:"confine,omitempty"` // why --confine does not work; "" if it does
	AppArmor string `json:"apparmor,omitempty"`
	// Restricted says that AppArmor keeps programs without a profile from what a layer needs. AppArmor is the profile that this program has.
	Restricted bool `json:"apparmorRestricts,omitempty"`
}

// findRun tries to set up a layer.
func findRun(ws *emend.Workspace) *runState {
	s := &runState{Mode: "overlay", Restricted: overlay.AppArmor()}
	if err := ws.Host().NoLayer(); err != nil {
		s.Mode, s.Why = "witness", err.Error()
		if u, ok := errors.AsType[*overlay.Unsupported](err); ok {
			s.Hint = u.Hint
		}
	}
	if err := emend.CannotConfine(); err != nil {
		s.Confine = err.Error()
	}
	if s.Restricted {
		s.AppArmor = ownProfile()
	}
	return s
}

func (s *runState) String() string {
	text := "over a layer"
	if s.Mode == "witness" {
		text = "in witness mode: " + s.Why
		if s.Hint != "" {
			text += ". " + strings.TrimSuffix(s.Hint, ".")
		}
	}
	if s.Confine != "" {
		text += "; no --confine: " + s.Confine
	}
	return text
}

// appArmorRow says whether this program has a profile that lets it make layers.
func (s *runState) appArmorRow() string {
	if s.AppArmor != "" {
		return "the profile " + s.AppArmor + " is loaded for this program"
	}
	return "restricts user namespaces, and no profile is loaded for this program. As root: emend doctor --apparmor > /etc/apparmor.d/emend && apparmor_parser -r /etc/apparmor.d/emend"
}

// ownProfile returns the name of the AppArmor profile of this process, "" for none.
func ownProfile() string {
	for _, file := range []string{"/proc/self/attr/apparmor/current", "/proc/self/attr/current"} {
		if text, err := os.ReadFile(file); err == nil {
			name, _, _ := strings.Cut(string(bytes.TrimRight(text, "\x00\n")), " (")
			if name == "unconfined" {
				return ""
			}
			return name
		}
	}
	return ""
}

// appArmorProfile returns a profile that permits a program to make user namespaces, and restricts nothing.
func appArmorProfile(program string) string {
	return fmt.Sprintf(`# AppArmor profile for emend: it may make user namespaces, which emend run needs for its layers, and is restricted in nothing.
# Whoever can replace the program has this right too, so install it where only root can write.
abi <abi/4.0>,
include <tunables/global>

profile emend "%s" flags=(unconfined) {
  userns,

  include if exists <local/emend>
}
`, escapeAppArmor.Replace(program))
}

// escapeAppArmor takes from the characters of a path the meaning that they have in a profile.
var escapeAppArmor = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `^`, `\^`, `@`, `\@`)

// layersText says how many layers are kept, and which are old.
func layersText(layers []api.KeptLayer) string {
	text := fmt.Sprintf("%s of commands did not land, the newest of %s: emend run --kept lists them", plural(len(layers), "layer"), layers[0].Began)
	var old []string
	for _, l := range layers {
		if l.Old {
			old = append(old, fmt.Sprintf("%s (%s)", l.Name, ageOf(l.Began)))
		}
	}
	if len(old) > 0 {
		more := ""
		if len(old) > 5 {
			more = fmt.Sprintf(" and %d more", len(old)-5)
		}
		text += "; old: " + strings.Join(old[:min(len(old), 5)], ", ") + more + ": emend run --discard removes one"
	}
	return text
}
