package emend

import (
	_ "github.com/bmatcuk/doublestar/v4"
)
