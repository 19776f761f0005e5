package tool

import (
	"slices"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

var putBack = define(Tool{
	Name:  "put_back",
	Title: "Restore a version",
	Doc: "Make a file what it was in a version that the history keeps, byte for byte, with its mode. " +
		"Refuses when something else is there than was expected, or when the version is not kept any more.",
	Example:    `{"path":"src/app.go","version":"20261121-131712-fzhwrn7lum.0","expectedSha256":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806","dryRun":true}`,
	Op:         patch.Update,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	fields: map[string]field{hashField: {description: "what is there now; left out when nothing is, and then nothing may be"}},
	data:   report.Data{},
	adapt:  dropEmptyHash,
}, (*emend.Workspace).PutBack)

// dropEmptyHash removes an empty hash. A form sends one if the file does not exist.
func dropEmptyHash(v *value) error {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.name == hashField && m.kind == "string" && m.text == "" })
	return nil
}
