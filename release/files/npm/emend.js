#!/usr/bin/env node
// Starts the emend of this machine. npm has installed it as one of the optional dependencies.
"use strict"
const { spawn } = require("node:child_process")
const { constants } = require("node:os")
const { join, dirname } = require("node:path")

const name = `@emend-dev/emend-${process.platform}-${process.arch}`

function find() {
  let dir
  try {
    dir = dirname(require.resolve(`${name}/package.json`))
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies)
    if (known.includes(name)) {
      fail(`the package ${name} is not installed. npm leaves it out with --omit=optional, or if the lock file was made on another ` +
        "system: remove node_modules and the lock file, and install again.")
    }
    fail(`there is no emend for ${process.platform} on ${process.arch}. There is one for: ` +
      known.map((k) => k.slice("@emend-dev/emend-".length)).join(", ") + ". Others build it with Go: see https://github.com/emend-dev/emend.")
  }
  return join(dir, "bin", process.platform === "win32" ? "emend.exe" : "emend")
}

function fail(why) {
  console.error(`emend: ${why}`)
  process.exit(127)
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit", windowsHide: true })
// A terminal sends its signals to both; those of others reach this process only.
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal === "SIGTERM" || signal === "SIGHUP" || !process.stdin.isTTY) child.kill(signal)
  })
}
child.on("error", (err) => fail(`${child.spawnfile} does not start: ${err.message}`))
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
