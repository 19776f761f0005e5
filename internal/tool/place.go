package tool

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend"
)

// Place is a workspace and the name under which callers know it.
type Place struct {
	Name string
	*emend.Workspace
}

// placeField is the argument that names a workspace, where there are several.
const placeField = "workspace"

func (o Options) checkPlaces() error {
	var seen []string
	for _, p := range o.Places {
		switch {
		case p.Name == "" && len(o.Places) > 1:
			return errors.New("every workspace needs a name when there are several")
		case slices.Contains(seen, p.Name):
			return fmt.Errorf("two workspaces are called %q", p.Name)
		}
		seen = append(seen, p.Name)
	}
	return nil
}

// placed is the tool as callers see it: where there are several workspaces, the first argument says which.
func (o Options) placed(t *Tool) *Tool {
	if len(o.Places) < 2 {
		return t
	}
	out := t.with(func(s *jsonschema.Schema) {
		p := &jsonschema.Schema{Type: "string"}
		for _, place := range o.Places {
			p.Enum = append(p.Enum, place.Name)
		}
		p.Description = "the workspace, one of " + list(p.Enum)
		s.Properties[placeField] = p
		s.Required = append([]string{placeField}, s.Required...)
		s.PropertyOrder = append([]string{placeField}, s.PropertyOrder...)
	})
	out.Example = fmt.Sprintf(`{"%s":%q,%s`, placeField, o.Places[0].Name, t.Example[1:])
	return out
}

// place takes the workspace that a call names out of its arguments; nil when there are several and it names none.
func (o Options) place(ws *emend.Workspace, v *value) *emend.Workspace {
	if len(o.Places) < 2 {
		return ws
	}
	named, _ := v.get(placeField)
	if named == nil {
		return nil
	}
	i := slices.IndexFunc(o.Places, func(p Place) bool { return named.kind == "string" && p.Name == named.text })
	if i < 0 {
		return nil
	}
	return o.Places[i].Workspace
}
