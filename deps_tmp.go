package emend

import (
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/google/jsonschema-go/jsonschema"
)
