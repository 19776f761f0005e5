'use strict'

// One folder of the editor: its emend ui, and what that has told so far. This file does not use the API of VS Code.

const { Client, Problem, findProgram, jsonVersion, missing, start, tooOld } = require('./server')

const maxPages = 10 // of the timeline, 50 calls each
const retryAfter = 1000, retryAtMost = 60000

/** Workspace calls onChange whenever there is something new to show. */
class Workspace {
	constructor(folder, { program, onChange, retry = retryAfter }) {
		this.folder = folder
		this.program = program
		this.onChange = onChange
		this.firstRetry = this.retry = retry
		this.state = 'starting' // running, missing, old, refused, stopped
		this.message = ''
		this.root = folder
		this.calls = []
		this.changes = new Map() // of entries, as their pages have them
		this.waiting = []
		this.pages = 1
		this.head = 0
	}

	/** Starts emend, and starts it again when it ends by itself, until close. */
	async open() {
		try {
			const program = findProgram(this.program())
			if (!program) {
				throw missing()
			}
			const { child, url } = await start(program, this.folder)
			if (this.closed) {
				child.kill()
				return
			}
			this.child = child
			child.on('exit', () => this.ended(new Problem('stopped', 'emend ui has ended.')))
			this.client = new Client(url)
			await this.load()
			this.set('running', '')
			this.retry = this.firstRetry
			await this.follow()
		} catch (e) {
			this.ended(e)
		}
	}

	async follow() {
		await this.client.follow(news => this.onNews(news), () => {
			if (!this.closed && this.state === 'running') {
				this.later(() => this.follow().catch(e => this.ended(e)))
			}
		})
	}

	set(state, message) {
		this.state = state
		this.message = message
		this.onChange(this)
	}

	/** Notes that emend is not there. What can end by itself is tried again, later and later. */
	ended(problem) {
		if (this.closed || this.state !== 'running' && this.state !== 'starting') {
			return
		}
		this.stop()
		this.waiting = []
		this.set(problem instanceof Problem && problem.kind !== 'answer' ? problem.kind : 'stopped', problem.message)
		if (this.state === 'stopped') {
			this.later(() => this.restart())
			this.retry = Math.min(this.retry * 2, retryAtMost)
		}
	}

	later(what) {
		clearTimeout(this.timer)
		this.timer = setTimeout(() => this.closed || what(), this.retry)
	}

	restart() {
		clearTimeout(this.timer)
		this.stop()
		this.set('starting', '')
		return this.open()
	}

	stop() {
		this.client?.close()
		const child = this.child
		this.client = this.child = undefined
		child?.removeAllListeners('exit')
		child?.kill()
	}

	close() {
		this.closed = true
		clearTimeout(this.timer)
		this.stop()
	}

	/** Loads again what may have changed. News that come meanwhile are loaded once more. */
	async onNews(news) {
		this.news = news
		if (this.loading) {
			return
		}
		this.loading = true
		try {
			while (this.news && this.client) {
				const now = this.news
				this.news = undefined
				const calls = this.calls
				if (now.head !== this.head) {
					await this.load()
				}
				const waits = this.waiting.length > 0 || now.waiting > 0
				await this.loadWaiting(now)
				if (waits || calls !== this.calls) {
					this.onChange(this)
				}
			}
		} catch (e) {
			this.message = e.message
			this.onChange(this)
		} finally {
			this.loading = false
		}
	}

	async load() {
		const calls = []
		let next
		for (let page = 0; page < this.pages; page++) {
			const part = await this.client.get('timeline' + (next ? '?before=' + next : ''))
			if (part.version !== jsonVersion) {
				throw tooOld()
			}
			if (page === 0) {
				this.head = part.head
				this.root = part.root
				this.readOnly = part.readOnly
			}
			calls.push(...part.calls)
			if (!(next = part.next)) {
				break
			}
		}
		const known = new Map(this.calls.map(c => [c.entry, JSON.stringify(c)]))
		for (const c of calls) {
			if (known.get(c.entry) !== JSON.stringify(c)) {
				this.changes.delete(c.entry)
			}
		}
		this.calls = calls
		this.more = next !== undefined && this.pages < maxPages
	}

	async loadOlder() {
		this.pages++
		await this.load()
		this.onChange(this)
	}

	async loadWaiting(news) {
		this.waiting = news.waiting > 0 ? (await this.client.get('waiting')).waiting : []
	}

	/** Returns an entry with its diffs and pieces. */
	async change(entry) {
		let c = this.changes.get(entry)
		if (!c) {
			c = await this.get('change/' + encodeURIComponent(entry.replace(/^#/, '')))
			this.changes.set(entry, c)
		}
		return c
	}

	get(address) {
		if (!this.client) {
			throw new Problem('stopped', this.message || 'emend is not running.')
		}
		return this.client.get(address)
	}

	send(form, filled) {
		if (!this.client) {
			throw new Problem('stopped', this.message || 'emend is not running.')
		}
		return this.client.send(form, filled)
	}
}

module.exports = { Workspace }
