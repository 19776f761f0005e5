package emend

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/outcome"
)

type Answer[T any] = outcome.Answer[T]
type AllowRequest = api.AllowRequest
type DenyRequest = api.DenyRequest
type AnsweredData = api.AnsweredData
type Report = outcome.Report

var ErrNobodyThere = api.ErrNobodyThere

type ClearRequest = api.ClearRequest
type Cleared = api.Cleared
type Question = api.Question
type AskedPath = api.AskedPath

var ErrUnanswered = api.ErrUnanswered

type Content = api.Content
type Health = api.Health
type Usage = api.Usage
type Error = fail.Error
type Kind = fail.Kind

const NotFound = fail.NotFound
const AlreadyExists = fail.AlreadyExists
const PermissionDenied = fail.PermissionDenied
const OutsideWorkspace = fail.OutsideWorkspace
const BinaryFile = fail.BinaryFile
const FileTooLarge = fail.FileTooLarge
const Stale = fail.Stale
const OldTextNotFound = fail.OldTextNotFound
const MultipleMatches = fail.MultipleMatches
const Overlapping = fail.Overlapping
const PatchParse = fail.PatchParse
const PatchApply = fail.PatchApply
const CommandFailed = fail.CommandFailed
const Timeout = fail.Timeout
const Unknown = fail.Unknown

type Result = api.Result
type Options = api.Options
type Plan = outcome.Plan
type File = outcome.File
type Placed = api.Placed
type Refusal = outcome.Refusal
type EntryData = api.EntryData
type Kept = api.Kept
type FileSince = api.FileSince

type FileHistory = api.FileHistory
type FileVersion = api.FileVersion
type Limits = api.Limits

var DefaultLimits = api.DefaultLimits

type Build = api.Build
type Pruned = api.Pruned
type PurgeRequest = api.PurgeRequest
type Purged = api.Purged
type PurgedTx = api.PurgedTx
type PutBackRequest = api.PutBackRequest

const DefaultReadBytes = api.DefaultReadBytes

type ReadRequest = api.ReadRequest
type ReadData = api.ReadData
type ListRequest = api.ListRequest
type ListData = api.ListData
type ListEntry = api.ListEntry
type SearchRequest = api.SearchRequest
type SearchData = api.SearchData
type SearchSum = api.SearchSum
type SearchMatch = api.SearchMatch
type GlobRequest = api.GlobRequest
type GlobData = api.GlobData
type GlobMatch = api.GlobMatch
type GlobSum = api.GlobSum
type CreateRequest = api.CreateRequest
type CreateData = api.CreateData
type WriteRequest = api.WriteRequest
type WriteData = api.WriteData
type EditRequest = api.EditRequest
type TextEdit = api.TextEdit
type EditData = api.EditData
type AppliedEdit = api.AppliedEdit
type LineRange = api.LineRange
type DeleteRequest = api.DeleteRequest
type DeleteData = api.DeleteData
type RestoreRequest = api.RestoreRequest
type RestoreData = api.RestoreData
type MoveRequest = api.MoveRequest
type MoveData = api.MoveData
type HistoryRequest = api.HistoryRequest
type HistoryData = api.HistoryData
type LogEntry = api.LogEntry
type HunkPlace = api.HunkPlace
type UndoRequest = api.UndoRequest
type SessionChanges = api.SessionChanges
type SessionFile = api.SessionFile
type Actor = api.Actor
type Head = api.Head
type Recovery = api.Recovery
type Tally = api.Tally
type Count = api.Count
type SessionCount = api.SessionCount
type TimelineRequest = api.TimelineRequest
type Outcome = api.Outcome

const Done = api.Done
const Refused = api.Refused
const Aborted = api.Aborted
const Recovered = api.Recovered
const Reverted = api.Reverted
const Undone = api.Undone

type Timeline = api.Timeline
type LoggedCall = api.LoggedCall
type Trashed = api.Trashed
type TrashedFile = api.TrashedFile
type VerifyReport = api.VerifyReport
type Break = api.Break
type FileState = api.FileState
type FileMismatch = api.FileMismatch

const FileSame = api.FileSame
const FileChanged = api.FileChanged
const FileGone = api.FileGone
const FileBack = api.FileBack
const FileUnknown = api.FileUnknown

type Waiting = api.Waiting

var As = caller.As
var Asking = caller.Asking
var Dialects = change.Dialects
var LeavingOut = caller.LeavingOut
var WithProgress = caller.WithProgress
var ParseHead = audit.ParseHead
