package tool

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend"
)

// Workspace is a workspace and the name under which callers know it.
type Workspace struct {
	Name string
	*emend.Workspace
}

// workspaceField is the argument that names a workspace, if there are several.
const workspaceField = "workspace"

func (o Options) checkWorkspaces() error {
	var seen []string
	for _, p := range o.Workspaces {
		switch {
		case p.Name == "" && len(o.Workspaces) > 1:
			return errors.New("every workspace needs a name when there are several")
		case slices.Contains(seen, p.Name):
			return fmt.Errorf("two workspaces are called %q", p.Name)
		}
		seen = append(seen, p.Name)
	}
	return nil
}

// forWorkspaces returns the tool as callers see it: if there are several workspaces, the first argument names one.
func (o Options) forWorkspaces(t *Tool) *Tool {
	if len(o.Workspaces) < 2 {
		return t
	}
	out := t.withSchema(func(s *jsonschema.Schema) {
		p := &jsonschema.Schema{Type: "string"}
		for _, place := range o.Workspaces {
			p.Enum = append(p.Enum, place.Name)
		}
		p.Description = "the workspace, one of " + commaList(p.Enum)
		s.Properties[workspaceField] = p
		s.Required = append([]string{workspaceField}, s.Required...)
		s.PropertyOrder = append([]string{workspaceField}, s.PropertyOrder...)
	})
	out.Example = fmt.Sprintf(`{"%s":%q,%s`, workspaceField, o.Workspaces[0].Name, t.Example[1:])
	return out
}

// workspace returns the workspace that a call names; nil if there are several and it names none of them.
func (o Options) workspace(ws *emend.Workspace, v *value) *emend.Workspace {
	if len(o.Workspaces) < 2 {
		return ws
	}
	named, _ := v.get(workspaceField)
	if named == nil {
		return nil
	}
	i := slices.IndexFunc(o.Workspaces, func(place Workspace) bool { return named.kind == "string" && place.Name == named.text })
	if i < 0 {
		return nil
	}
	return o.Workspaces[i].Workspace
}
