'use strict'

const vscode = require('vscode')
const path = require('node:path')
const { applyDiff, hunksOf, plain, sideOf, splitDiff } = require('./model')

/** The scheme of files before and after an entry, and that of what a call that waits would change. Both are read-only. */
const scheme = 'emend'
const waitingScheme = 'emend-waiting'

/** Documents provides the texts of such documents, and lines above their hunks that undo and keep them. */
class Documents {
	constructor(emend) {
		this.emend = emend
		this.texts = new Map() // that are in no store, by their addresses: diffs, and files as a call that waits would leave them
		this.next = 0
		this.lensesChanged = new vscode.EventEmitter()
		this.onDidChangeCodeLenses = this.lensesChanged.event
	}

	refresh() {
		this.lensesChanged.fire()
	}

	/** The name of the file stands last, so that the editor knows its language. */
	uri(name, query) {
		return vscode.Uri.from({ scheme: query.entry ? scheme : waitingScheme, path: '/' + name, query: JSON.stringify(query) })
	}

	parse(uri) {
		try {
			return JSON.parse(uri.query)
		} catch {
			return undefined
		}
	}

	sides(w, entry, file) {
		const at = side => this.uri(side === 'after' && file.to || file.path, { root: w.root, entry, file: file.n, side })
		return [at('before'), at('after')]
	}

	/** Opens a file of an entry, at a hunk if the node has one. The editor's own commands keep their arguments while rows are made again. */
	diffCommand({ workspace, call, file, hunk }) {
		const options = { preview: true }
		if (hunk) {
			options.selection = new vscode.Range(hunk.firstChange, 0, hunk.firstChange, 0)
		}
		return { command: 'vscode.diff', title: 'Open Diff', arguments: [...this.sides(workspace, call.entry, file), plain(`${path.posix.basename(file.to ?? file.path)} (${call.who})`), options] }
	}

	/** Opens all files of an entry. */
	changesCommand({ workspace, call }) {
		const files = call.files.map(f => [this.emend.fileOf(workspace, f.to ?? f.path), ...this.sides(workspace, call.entry, f)])
		return { command: 'vscode.changes', title: 'Open Diff', arguments: [plain(`${call.who}: ${call.did}`), files] }
	}

	/** Opens what a call that waits would change. */
	questionCommand({ workspace: w, question: q }) {
		const files = splitDiff(q.diff ?? '').map((f, file) => {
			const at = side => this.uri((side === 'before' ? f.from : f.to) ?? f.to ?? f.from, { root: w.root, question: q.id, file, side })
			return [this.emend.fileOf(w, path.posix.join(q.below, f.to ?? f.from)), at('before'), at('after')]
		})
		const title = `${q.who} asks`
		switch (files.length) {
		case 0:
			return { command: 'vscode.open', title: 'Show', arguments: [this.textUri('question.diff', q.diff || 'The call reads these files. It changes nothing.\n')] }
		case 1:
			return { command: 'vscode.diff', title: 'Show Diff', arguments: [files[0][1], files[0][2], plain(`${path.basename(files[0][0].fsPath)} (${title})`), { preview: true }] }
		}
		return { command: 'vscode.changes', title: 'Show Diff', arguments: [plain(title), files] }
	}

	/** A document with a text of the extension's own. */
	textUri(name, text) {
		const uri = this.uri(name, { text: ++this.next })
		this.remember(uri, text)
		return uri
	}

	/** Keeps the newest hundred texts. */
	remember(uri, text) {
		this.texts.set(uri.toString(), text)
		if (this.texts.size > 100) {
			this.texts.delete(this.texts.keys().next().value)
		}
		return text
	}

	async load(uri) {
		const known = this.texts.get(uri.toString())
		if (known !== undefined) {
			return known
		}
		const q = this.parse(uri)
		const w = this.emend.workspaceAt(q?.root)
		if (!w) {
			throw new Error('emend does not run in this folder.')
		}
		return q.question ? this.remember(uri, await this.loadQuestion(w, q)) : this.loadEntry(w, q)
	}

	/** Where a text is no longer kept, the diff may be: then it is what that has of it. */
	async loadEntry(w, { entry, file, side }) {
		try {
			return (await w.get(`content/${encodeURIComponent(entry.replace(/^#/, ''))}/${file}/${side}`)).text
		} catch (e) {
			const diff = (await w.change(entry)).files[file]?.diff
			if (!diff) {
				throw e
			}
			return sideOf(diff, side)
		}
	}

	async loadQuestion(w, { question, file, side }) {
		const q = w.waiting.find(q => q.id === question)
		const f = splitDiff(q?.diff ?? '')[file]
		if (!f) {
			throw new Error('This call no longer waits for an answer.')
		}
		let before = ''
		if (f.from) {
			const bytes = await vscode.workspace.fs.readFile(this.emend.fileOf(w, path.posix.join(q.below, f.from))).then(b => b, () => undefined)
			before = bytes && Buffer.from(bytes).toString('utf8')
		}
		const after = before === undefined ? undefined : f.to ? applyDiff(before, f.text) : ''
		return after === undefined ? sideOf(f.text, side) : side === 'before' ? before : after
	}

	provideTextDocumentContent(uri) {
		return this.load(uri).catch(e => `(${e.message})`)
	}

	/** Shown if diffEditor.codeLens is on. */
	async provideCodeLenses(document) {
		const q = this.parse(document.uri)
		const w = q?.side === 'after' && this.emend.workspaceAt(q.root)
		if (!w) {
			return []
		}
		const change = await w.change(q.entry)
		const file = change.files[q.file]
		const hunks = hunksOf(file.diff ?? '')
		const out = []
		for (const h of hunks) {
			const piece = file.pieces?.[hunks.length > 1 ? h.n : 0]
			if (!piece) {
				continue
			}
			const at = new vscode.Range(h.firstChange, 0, h.firstChange, 0)
			const lens = (title, command) => out.push(new vscode.CodeLens(at, { title, command, arguments: [document.uri, h.n] }))
			if (piece.undoneBy) {
				lens(`Hunk ${h.n} was undone`, '')
			} else if (piece.undoable) {
				lens(`Undo hunk ${h.n}`, 'emend.undoHunk')
				lens(this.emend.kept.has(q.entry, q.file, h.n) ? 'Kept' : 'Keep', 'emend.keepHunk')
			}
		}
		return out
	}
}

module.exports = { Documents, scheme, waitingScheme }
