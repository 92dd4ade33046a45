// Written by `seasoned connect opencode`; `seasoned disconnect opencode` removes it.
// Hands OpenCode's events to seasoned-hook, and puts what is known where the model reads it.
// OpenCode waits for a plugin without a limit, so every call has one here, and nothing is thrown.
import { spawn } from "node:child_process"

const COMMAND = ["seasoned-hook", "--host", "opencode"]
const MILLISECONDS = 3000
const START_MILLISECONDS = 6000

function ask(payload, limit = MILLISECONDS) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      const parts = []
      const timer = setTimeout(() => {
        child.kill()
        resolve("")
      }, limit)
      const done = () => {
        clearTimeout(timer)
        try {
          const said = Buffer.concat(parts).toString("utf8").trim()
          resolve(said ? JSON.parse(said).context || "" : "")
        } catch {
          resolve("")
        }
      }
      child.on("error", done)
      child.on("close", done)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => parts.push(part))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

export const Seasoned = async ({ directory }) => {
  const parents = new Map() // sessions of sub-agents, with the session that started them
  const started = new Set()
  const waiting = new Map() // texts for the next message or result of a session
  const roles = new Map() // of messages
  const replies = new Map() // the last text of the model, by session
  const failed = new Set() // calls whose error was reported

  const report = (event, sessionID, more, limit) => {
    const parent = parents.get(sessionID)
    const session = parent ? { session: parent, agent: sessionID } : { session: sessionID }
    return ask({ event, folder: directory, ...session, ...more }, limit)
  }
  const wait = (sessionID, text) => {
    if (text) waiting.set(sessionID, [...(waiting.get(sessionID) || []), text].slice(-3))
  }
  const waited = (sessionID, text) => {
    const texts = [text, ...(waiting.get(sessionID) || [])].filter(Boolean)
    waiting.delete(sessionID)
    return texts.join("\n\n")
  }
  const remember = (set, key) => {
    set.add(key)
    if (set.size > 1000) set.delete(set.values().next().value)
  }

  const onEvent = async (event) => {
    const about = event.properties || {}
    if (event.type === "session.created" && about.info?.parentID) {
      parents.set(about.info.id, about.info.parentID)
    } else if (event.type === "session.compacted") {
      wait(about.sessionID, await report("start", about.sessionID, { forgot: true }))
    } else if (event.type === "session.deleted") {
      await report("end", about.info?.id || about.sessionID, {})
    } else if (event.type === "message.updated") {
      roles.set(about.info?.id, about.info?.role)
      if (roles.size > 1000) roles.delete(roles.keys().next().value)
    } else if (event.type === "message.part.updated") {
      await onPart(about.part || {})
    } else if (event.type === "session.idle" && replies.has(about.sessionID)) {
      const text = replies.get(about.sessionID)
      replies.delete(about.sessionID)
      await report("reply", about.sessionID, { text })
    }
  }
  const onPart = async (part) => {
    if (part.type === "text" && roles.get(part.messageID) === "assistant") {
      replies.set(part.sessionID, part.text)
    }
    if (part.type !== "tool" || part.state?.status !== "error" || failed.has(part.callID)) return
    remember(failed, part.callID)
    const call = { tool: part.tool, call: part.callID, args: part.state.input }
    wait(part.sessionID, await report("result", part.sessionID, { ...call, error: String(part.state.error) }))
  }
  const onMessage = async (input, output) => {
    if (parents.has(input.sessionID)) return // an agent wrote it, not the user
    const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
    if (!texts.length) return
    if (!started.has(input.sessionID)) {
      remember(started, input.sessionID)
      wait(input.sessionID, await report("start", input.sessionID, { forgot: true }, START_MILLISECONDS))
    }
    const text = texts.map((part) => part.text).join("\n")
    const message = output.message?.id || input.messageID || ""
    const told = waited(input.sessionID, await report("prompt", input.sessionID, { text, message }))
    const last = texts[texts.length - 1]
    if (told) output.parts.push({ ...last, id: `${last.id}s`, text: told, synthetic: true })
  }
  const onResult = async (input, output) => {
    const call = { tool: input.tool, call: input.callID, args: input.args }
    const said = typeof output.output === "string" ? output.output : output.content
    const exit = output.metadata?.exit
    const told = waited(
      input.sessionID,
      await report("result", input.sessionID, { ...call, output: said, exit }),
    )
    if (!told) return
    if (typeof output.output === "string") output.output += `\n\n${told}`
    else if (Array.isArray(output.content)) output.content.push({ type: "text", text: told })
  }

  const args = new Map() // of calls that run, for versions that do not repeat them
  const quietly = (handle) => async (...given) => {
    try {
      await handle(...given)
    } catch {
      // What goes wrong here is nobody's business: the assistant goes on.
    }
  }
  return {
    event: quietly(({ event }) => onEvent(event)),
    "chat.message": quietly(onMessage),
    "tool.execute.before": quietly((input, output) => {
      args.set(input.callID, output.args)
      if (args.size > 1000) args.delete(args.keys().next().value)
    }),
    "tool.execute.after": quietly((input, output) =>
      onResult({ ...input, args: input.args || args.get(input.callID) }, output),
    ),
  }
}
