// Written by "emend setup opencode", which also takes it back; changes to this file are lost.
//
// It tells emend when a tool of opencode is about to change files, and when it has. emend looks at the files and records what
// changed. Whatever goes wrong here, opencode goes on as without this plugin.
import { spawn } from "node:child_process"

const command = ["emend", "hook", "opencode"]
const tools = ["bash", "edit"]
const limit = 20000 // milliseconds; emend gives up before

// call sends one event to emend, and waits until it has looked.
const call = (message) =>
  new Promise((resolve) => {
    try {
      const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "ignore", "ignore"], windowsHide: true })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve()
      }, limit)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      child.on("error", end)
      child.on("exit", end)
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(message))
    } catch {
      resolve()
    }
  })

export const Emend = async ({ directory, worktree }) => {
  const parents = new Map() // of the sessions of subagents
  const turns = new Map() // the last prompt of each session
  let latest = ""

  const send = async (event, session, more) => {
    try {
      let top = session
      for (let i = 0; parents.has(top) && i < 100; i++) top = parents.get(top)
      if (top) latest = top
      await call({
        hook_event_name: event,
        session_id: top || latest,
        agent_id: top === session ? undefined : session,
        turn_id: turns.get(top || latest),
        cwd: directory,
        project_dir: worktree && worktree !== "/" ? worktree : directory,
        ...more,
      })
    } catch {}
  }
  const input = (args) => ({
    command: args?.command ?? args?.patchText,
    file_path: args?.filePath,
  })
  const watched = (tool) => tools.includes(tool)

  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      if (!watched(tool)) return
      await send("tool.execute.before", sessionID, { tool_name: tool, tool_use_id: callID, tool_input: input(output?.args) })
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      if (!watched(tool)) return
      const exit = output?.metadata?.exit
      await send("tool.execute.after", sessionID, { tool_name: tool, tool_use_id: callID, tool_input: input(args),
        tool_response: { exit: Number.isInteger(exit) ? exit : undefined } })
    },
    "chat.message": async ({ sessionID }, output) => {
      if (parents.has(sessionID)) return
      turns.set(sessionID, output?.message?.id)
      await send("chat.message", sessionID)
    },
    event: async ({ event }) => {
      const info = event?.properties?.info
      if (event?.type === "session.created" && info?.id) {
        if (info.parentID) parents.set(info.id, info.parentID)
        else await send("session.created", info.id)
      }
      const idle = event?.properties?.sessionID
      if (event?.type === "session.idle" && idle && !parents.has(idle)) await send("session.idle", idle)
    },
    dispose: async () => {
      if (latest) await send("dispose", latest)
    },
  }
}
