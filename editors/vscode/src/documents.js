'use strict'

const vscode = require('vscode')
const { hunksOf } = require('./model')

/** The scheme of documents that emend knows: files before and after an entry. They are read-only. */
const scheme = 'emend'

/** Documents provides the texts of such documents, and lines above their hunks that undo and keep them. */
class Documents {
	constructor(emend) {
		this.emend = emend
		this.texts = new Map() // that are in no store: diffs, and files as a call that waits would leave them
		this.next = 0
		this.lensesChanged = new vscode.EventEmitter()
		this.onDidChangeCodeLenses = this.lensesChanged.event
	}

	refresh() {
		this.lensesChanged.fire()
	}

	/** The name of the file stands last, so that the editor knows its language. */
	uriOf(w, entry, file, side) {
		const name = side === 'after' && file.to || file.path
		return vscode.Uri.from({ scheme, path: '/' + name, query: JSON.stringify({ root: w.root, entry, file: file.n, side }) })
	}

	/** A document with a text of the extension's own. The newest hundred are kept. */
	textUri(name, text) {
		const key = ++this.next
		this.texts.set(key, text)
		this.texts.delete(key - 100)
		return vscode.Uri.from({ scheme, path: '/' + name, query: JSON.stringify({ text: key }) })
	}

	parse(uri) {
		try {
			return JSON.parse(uri.query)
		} catch {
			return undefined
		}
	}

	async load(uri) {
		const q = this.parse(uri)
		if (q?.text) {
			return this.texts.get(q.text) ?? ''
		}
		const w = this.emend.workspaceAt(q?.root)
		if (!w) {
			throw new Error('emend does not run in this folder.')
		}
		return (await w.get(`content/${encodeURIComponent(q.entry)}/${q.file}/${q.side}`)).text
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

module.exports = { Documents, scheme }
