package api

import "time"

// AgentTraceVersion is the version of Agent Trace that an [AgentTrace] follows.
const AgentTraceVersion = "0.1"

// AgentTrace is a trace record of Agent Trace 0.1.0 (https://agent-trace.dev), the open format in which tools say which lines
// agents wrote. It names sessions, turns and entries of the log as related resources, with addresses that begin with emend:.
type AgentTrace struct {
	Version   string             `json:"version"`
	ID        string             `json:"id"` // a UUID, new for each record
	Timestamp time.Time          `json:"timestamp"`
	Tool      AgentTraceTool     `json:"tool"`
	Files     []AgentTraceFile   `json:"files"`
	Metadata  AgentTraceMetadata `json:"metadata"`
}

// AgentTraceTool is the program that wrote the record.
type AgentTraceTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// AgentTraceFile says who wrote the lines of one file.
type AgentTraceFile struct {
	Path          string                   `json:"path"`
	Conversations []AgentTraceConversation `json:"conversations"`
}

// AgentTraceConversation is the lines that came of one conversation, in which nobody else took part.
type AgentTraceConversation struct {
	Contributor AgentTraceContributor `json:"contributor"`
	Ranges      []AgentTraceRange     `json:"ranges"`
	Related     []AgentTraceRelated   `json:"related,omitempty"`
}

// AgentTraceContributor says who wrote lines. The log does not know models.
type AgentTraceContributor struct {
	Type Contributor `json:"type"`
}

// AgentTraceRange is lines that stand together.
type AgentTraceRange struct {
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	ContentHash string `json:"content_hash"` // sha256: and the hash of the lines with their ends
}

// AgentTraceRelated is what the log calls a conversation, or an entry of it.
type AgentTraceRelated struct {
	Type string `json:"type"` // session, turn, agent, client, entry
	URL  string `json:"url"`
}

// AgentTraceMetadata pins what the record is about.
type AgentTraceMetadata struct {
	Emend AgentTraceEmend `json:"emend"`
}

// AgentTraceEmend is what emend adds to a record.
type AgentTraceEmend struct {
	Sha256 string `json:"sha256"`        // of the file
	Log    *Head  `json:"log,omitempty"` // the newest record of the log
}
