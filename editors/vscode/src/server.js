'use strict'

// Starts "emend ui" for one folder and talks to it. This file does not use the API of VS Code.

const { spawn } = require('node:child_process')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const fs = require('node:fs')

/** The version of emend's JSON that this extension understands. */
const jsonVersion = 1

/** Problem is an error with words for a person. kind is "missing", "old", "refused", "stopped" or "answer". */
class Problem extends Error {
	constructor(kind, message, errors = []) {
		super(message)
		this.kind = kind
		this.errors = errors
	}
}

/**
 * Returns the program to start: the configured one, or emend where programs are installed. The PATH of a desktop is often
 * shorter than that of a terminal.
 */
function findProgram(configured, env = process.env, platform = process.platform, exists = fs.existsSync) {
	if (configured) {
		return configured
	}
	const name = platform === 'win32' ? 'emend.exe' : 'emend'
	const home = env.HOME || env.USERPROFILE || os.homedir()
	const dirs = (env.PATH || '').split(platform === 'win32' ? ';' : ':').filter(dir => path.isAbsolute(dir))
	dirs.push(path.join(home, '.local', 'bin'), path.join(home, 'go', 'bin'))
	if (platform !== 'win32') {
		dirs.push('/usr/local/bin', '/opt/homebrew/bin')
	}
	return dirs.map(dir => path.join(dir, name)).find(file => exists(file))
}

/** Starts emend ui in a directory. Returns the process and the address with its token, which nobody else is told. */
function start(program, cwd) {
	return new Promise((resolve, reject) => {
		const child = spawn(program, ['ui', '--no-open', '--json', '--until-eof'], { cwd, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
		let out = '', err = ''
		child.stdin.on('error', () => {}) // it ended first
		child.on('error', e => reject(e.code === 'ENOENT' ? missing(program) : new Problem('refused', `${program} cannot be started: ${e.message}`)))
		child.stderr.setEncoding('utf8').on('data', text => { err = (err + text).slice(-4000) })
		child.stdout.setEncoding('utf8').on('data', text => {
			out = (out + text).slice(0, 4000)
			const url = addressIn(out)
			if (url) {
				resolve({ child, url })
			}
		})
		child.on('exit', code => reject(startProblem(code, err)))
	})
}

function missing(program) {
	return new Problem('missing', program ? `There is no ${program}. Correct the setting emend.path.` : 'emend is not installed, or not where this editor looks for programs.')
}

function addressIn(out) {
	try {
		return new URL(JSON.parse(out).url)
	} catch {
		return undefined // not all of it has come
	}
}

/** Says why emend ui ended before it served anything. */
function startProblem(code, err) {
	const said = err.trim().split('\n').slice(0, 3).join('\n')
	if (/unknown (flag|command)/.test(said)) {
		return tooOld()
	}
	return new Problem('refused', said || `emend ui ended with exit code ${code}.`)
}

function tooOld() {
	return new Problem('old', 'This emend is too old for the extension. Update emend.')
}

/** Client is signed in to the pages of one emend ui. */
class Client {
	/** @param {URL} url the address that emend ui printed, with the token after # */
	constructor(url) {
		this.host = url.hostname
		this.port = url.port
		this.token = new URLSearchParams(url.hash.slice(1)).get('token')
		this.agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
	}

	/** Signs in. The server answers with a cookie, and with the root below which it is good. */
	async login() {
		const r = await this.request('POST', '/ui/login', form({ token: [this.token] }))
		const cookie = /^[^;]+/.exec(r.headers['set-cookie']?.[0] ?? '')?.[0]
		if (r.status !== 303 || !cookie) {
			throw new Problem('refused', `emend refused its own token (status ${r.status}).`)
		}
		this.cookie = cookie
		this.base = r.headers.location + 'default/'
	}

	/** Returns the answer to a GET below the workspace. */
	async get(address) {
		return answerOf(await this.signedIn('GET', 'json/' + address))
	}

	/** Sends a form of an earlier answer, with the fields that the person filled in. */
	async send({ tool, fields }, filled = {}) {
		const all = { ...fields }
		for (const [name, value] of Object.entries(filled)) {
			all[name] = [value]
		}
		return answerOf(await this.signedIn('POST', 'do/' + tool, form(all)))
	}

	async signedIn(method, address, body) {
		if (!this.base) {
			await this.login()
		}
		let r = await this.request(method, this.base + address, body)
		if (r.status === 401) { // the session has ended
			await this.login()
			r = await this.request(method, this.base + address, body)
		}
		return r
	}

	request(method, address, body) {
		return new Promise((resolve, reject) => {
			const req = http.request(this.options(method, address, body), res => {
				let text = ''
				res.setEncoding('utf8').on('data', part => { text += part })
				res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }))
				res.on('error', reject)
			})
			req.on('error', reject)
			req.end(body)
		})
	}

	options(method, address, body, accept = 'application/json') {
		const headers = { Accept: accept }
		if (this.cookie) {
			headers.Cookie = this.cookie
		}
		if (body !== undefined) {
			headers['Content-Type'] = 'application/x-www-form-urlencoded'
			headers['Content-Length'] = Buffer.byteLength(body)
		}
		return { host: this.host, port: this.port, path: address, method, headers, agent: this.agent }
	}

	/**
	 * Calls onUpdate with each {head, waiting, newest} that the server sends, and onEnd once when the stream is over. While it is
	 * open, calls that need a person's answer wait for one.
	 */
	async follow(onUpdate, onEnd) {
		if (!this.base) {
			await this.login()
		}
		const options = { ...this.options('GET', this.base + 'events', undefined, 'text/event-stream'), agent: undefined }
		let over = false
		const end = e => {
			if (!over) {
				over = true
				onEnd(e)
			}
		}
		const req = http.request(options, res => {
			if (res.statusCode !== 200) {
				res.resume()
				if (res.statusCode === 401) {
					this.base = undefined // sign in again at the next try
				}
				return end(new Problem('refused', `emend does not send updates (status ${res.statusCode}).`))
			}
			const events = new EventParser(onUpdate)
			res.setEncoding('utf8').on('data', text => events.push(text))
			res.on('end', () => end())
			res.on('error', end)
		})
		req.on('error', end)
		req.end()
		this.stream = req
	}

	close() {
		this.stream?.destroy()
		this.agent.destroy()
	}
}

/** Reads a stream of server-sent events. */
class EventParser {
	constructor(onUpdate) {
		this.onUpdate = onUpdate
		this.rest = ''
	}

	push(text) {
		this.rest += text
		for (let at; (at = this.rest.indexOf('\n\n')) >= 0;) {
			const data = this.rest.slice(0, at).split('\n').filter(line => line.startsWith('data: ')).map(line => line.slice(6)).join('\n')
			this.rest = this.rest.slice(at + 2)
			if (data) {
				this.onUpdate(JSON.parse(data))
			}
		}
	}
}

/** Encodes {name: [value, ...]} as a form. */
function form(fields) {
	const out = new URLSearchParams()
	for (const [name, values] of Object.entries(fields)) {
		for (const value of values) {
			out.append(name, value)
		}
	}
	return out.toString()
}

/** Returns the value of an answer, or throws what it says is wrong. */
function answerOf(r) {
	let value
	try {
		value = JSON.parse(r.text)
	} catch {
		throw r.status === 404 ? tooOld() : new Problem('answer', `emend answered with status ${r.status}.`)
	}
	if (r.status !== 200) {
		const errors = value.errors ?? []
		throw new Problem('answer', errors.map(sentenceOf).join('\n') || `emend answered with status ${r.status}.`, errors)
	}
	return value
}

/** Says one error: where, what, and what to do next. */
function sentenceOf(e) {
	const what = e.path && !e.message.includes(e.path) ? `${e.path}: ${e.message}` : e.message
	return e.next ? `${what}. ${e.next}` : what
}

module.exports = { Client, EventParser, Problem, findProgram, form, jsonVersion, missing, sentenceOf, start, startProblem, tooOld }
