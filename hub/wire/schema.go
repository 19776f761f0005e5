package wire

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// The schemas are made from the types by a test, "go test ./wire -update", and checked against examples of each.
//
//go:embed schemas/*.json
var schemas embed.FS

// SchemaNames lists the published schemas, such as record.v1.
func SchemaNames() (names []string) {
	entries, err := schemas.ReadDir("schemas")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Schema returns a JSON schema by its name.
func Schema(name string) ([]byte, error) {
	text, err := schemas.ReadFile(path.Join("schemas", name+".json"))
	if err != nil {
		return nil, fmt.Errorf("no schema is named %q: there are %s", name, strings.Join(SchemaNames(), ", "))
	}
	return text, nil
}
