package emend

import (
	_ "github.com/google/jsonschema-go/jsonschema"
)
