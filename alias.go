package emend

import (
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/outcome"
)

type Report = outcome.Report
type Plan = outcome.Plan
type File = outcome.File
type Refusal = outcome.Refusal

var WithActor = caller.WithActor
var WithAsker = caller.WithAsker
var Dialects = change.Dialects
var WithoutDirs = caller.WithoutDirs
var WithProgress = caller.WithProgress
var ParseHead = audit.ParseHead
