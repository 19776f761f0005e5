package tool

import (
	"fmt"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var editCell = define(Tool{
	Name:  "edit_cell",
	Title: "Edit a cell",
	Doc: "Replace, insert or delete a cell of a Jupyter notebook. A new source drops the outputs. " +
		"Refuses a cell that is not there, and a file that changed since it was read.",
	Example: `{"path":"a.ipynb","expectedSha256":"` + exampleHash + `","cell":"2","source":"print(1)"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Idempotent: true,
	fields: map[string]field{
		"action":   {enum: []string{"replace", "insert", "delete"}, byDefault: "replace"},
		"cellType": {enum: []string{"code", "markdown", "raw"}},
	},
	data:  api.EditCellData{},
	adapt: acceptCellNumber,
}, (*emend.Workspace).EditCell)

// acceptCellNumber accepts the number of a cell as a number.
func acceptCellNumber(v *value) error {
	for i := range v.members {
		if m := &v.members[i]; m.name == "cell" && m.value.kind == "number" {
			if n, ok := integer(m.value.text); ok {
				m.value = value{kind: "string", text: fmt.Sprint(n)}
			}
		}
	}
	return nil
}
