package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/setup"
	"github.com/emend-dev/emend/internal/front/wall"
)

// doctorReport is the result of doctor: the health of the workspace, and the state of the installation on this account.
type doctorReport struct {
	*api.Health
	Binary  binaryState   `json:"binary"`
	Token   *tokenState   `json:"token,omitempty"` // nil if none was made yet
	Clients []setup.State `json:"clients"`

	Run *runState `json:"run,omitempty"` // how emend run works here

	Layers []api.KeptLayer `json:"layers,omitempty"` // of commands that did not land

	Landlock int `json:"landlock"` // the version that emend serve uses; 0 for none
}

// binaryState says which emend runs, and which one PATH finds.
type binaryState struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	OnPath  string `json:"onPath"` // the emend that PATH finds; "" for none
	Same    bool   `json:"same"`   // Path and OnPath are one file
}

// tokenState describes the file with the token of emend serve --http.
type tokenState struct {
	File    string `json:"file"`
	Mode    string `json:"mode"`
	Problem string `json:"problem,omitempty"`
}

// newDoctorReport examines the installation. It runs no program, and only reads the clients' files.
func (a *app) newDoctorReport(h *api.Health) *doctorReport {
	c := &doctorReport{Health: h, Binary: findBinary(), Token: a.findToken(), Clients: []setup.State{}, Landlock: wall.Version()}
	if host, err := a.host(h.Root); err == nil {
		c.Clients = setup.Inspect(host, c.Binary.Path)
	}
	return c
}

func findBinary() binaryState {
	b := binaryState{Version: emend.Version().Version}
	b.Path, _ = os.Executable()
	if found, err := exec.LookPath("emend"); err == nil {
		b.OnPath, b.Same = found, sameFile(found, b.Path)
	}
	return b
}

func (b binaryState) String() string {
	text := fmt.Sprintf("%s, version %s; ", cmp.Or(b.Path, "unknown"), b.Version)
	switch {
	case b.OnPath == "":
		return text + "PATH does not find an emend"
	case b.Same:
		return text + "PATH finds it as " + b.OnPath
	}
	return text + "PATH finds another one: " + b.OnPath
}

// findToken describes the token's file without reading it.
func (a *app) findToken() *tokenState {
	file, err := a.tokenPath(clientTokenFile)
	if err != nil {
		return nil
	}
	info, err := os.Lstat(file)
	if err != nil {
		return nil
	}
	t := &tokenState{File: file, Mode: fmt.Sprintf("%04o", info.Mode().Perm())}
	switch {
	case !info.Mode().IsRegular():
		t.Problem = "it is not a regular file"
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		t.Problem = "others can read it: if nobody has, chmod 600; else make a new one with emend serve --new-token"
	}
	return t
}

func (t *tokenState) String() string {
	switch {
	case t == nil:
		return "none yet; emend serve --http makes it"
	case t.Problem != "":
		return fmt.Sprintf("%s, mode %s: %s", t.File, t.Mode, t.Problem)
	}
	return fmt.Sprintf("%s, mode %s", t.File, t.Mode)
}

var toolStates = map[string]string{"on": "ON", "off": "off", "stay on": "on, and no setting turns them off"}

// clientLines returns one line for each client.
func clientLines(clients []setup.State) []string {
	var out []string
	for _, c := range clients {
		out = append(out, fmt.Sprintf("%s (%s): %s", c.Title, c.Scope, clientLine(c)))
	}
	return out
}

func clientLine(c setup.State) string {
	switch {
	case !c.Configured && c.Problem != "":
		return c.Problem
	case !c.Configured && c.Hooks != "" && c.Hooks != "off":
		return "starts no server of emend; " + hookStates[c.Hooks]
	case !c.Configured:
		return "not configured; emend setup " + c.Client + " says how"
	}
	text := "starts " + shellWords(c.Command)
	if c.URL != "" {
		text = "connects to " + c.URL
	}
	if c.Problem != "" {
		text = "BROKEN: " + c.Problem
	}
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	text += "; its own edit tools are " + toolStates[c.Tools]
	if c.Hooks != "" {
		text += "; " + hookStates[c.Hooks]
	}
	return text
}

var hookStates = map[string]string{"on": "its hooks call emend", "partly": "ONLY SOME of its hooks call emend: run emend setup again",
	"off": "no hooks of it call emend"}
