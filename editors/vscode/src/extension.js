'use strict'

const vscode = require('vscode')
const path = require('node:path')
const { Documents, scheme, waitingScheme } = require('./documents')
const { Kept, hunkAt, hunksOf, plain } = require('./model')
const { Timeline } = require('./timeline')
const { Waiting } = require('./waiting')
const { Workspace } = require('./workspace')
const { form, sentenceOf } = require('./server')

let emend

function activate(context) {
	emend = new Emend(context)
	emend.openFolders()
}

function deactivate() {
	emend?.closeAll()
}

/** Emend is the extension in one window. */
class Emend {
	constructor(context) {
		this.workspaces = []
		this.kept = new Kept(context.workspaceState)
		this.documents = new Documents(this)
		this.timeline = new Timeline(this)
		this.waiting = new Waiting(this)
		this.timelineView = vscode.window.createTreeView('emend.timeline', { treeDataProvider: this.timeline, showCollapseAll: true })
		this.waitingView = vscode.window.createTreeView('emend.waiting', { treeDataProvider: this.waiting })
		this.status = vscode.window.createStatusBarItem('emend', vscode.StatusBarAlignment.Left, 0)
		this.status.name = 'emend'
		this.status.command = 'workbench.view.extension.emend'
		context.subscriptions.push(this.timelineView, this.waitingView, this.status,
			vscode.workspace.registerTextDocumentContentProvider(scheme, this.documents),
			vscode.workspace.registerTextDocumentContentProvider(waitingScheme, this.documents),
			vscode.languages.registerCodeLensProvider({ scheme }, this.documents),
			vscode.workspace.onDidChangeWorkspaceFolders(() => this.openFolders()),
			vscode.workspace.onDidChangeConfiguration(e => e.affectsConfiguration('emend.path') && this.restart()))
		const commands = {
			restart: () => this.restart(),
			loadOlder: () => Promise.all(this.workspaces.map(w => w.loadOlder())),
			hideReviewed: () => this.timeline.hideReviewed(true),
			showReviewed: () => this.timeline.hideReviewed(false),
			openDiff: node => this.openDiff(node),
			openFile: node => vscode.window.showTextDocument(this.fileOf(node.workspace, node.file.to ?? node.file.path)),
			undo: node => this.undoNode(node),
			undoHunkHere: () => this.undoHere(),
			keepHunkHere: () => this.keepHere(),
			undoHunk: (uri, n) => this.pieceOf(uri, n).then(p => p && this.undoNode(p)),
			keepHunk: (uri, n) => this.pieceOf(uri, n).then(p => p && this.keep(p, true)),
			keep: node => this.keep(node, true),
			unkeep: node => this.keep(node, false),
			showQuestion: node => this.run(this.documents.questionCommand(node)),
			allow: node => this.waiting.answer(node, 'allow'),
			allowSession: node => this.waiting.answer(node, 'allowSession'),
			deny: node => this.waiting.deny(node),
		}
		for (const [name, run] of Object.entries(commands)) {
			context.subscriptions.push(vscode.commands.registerCommand('emend.' + name, (...args) => this.report(() => run(...args))))
		}
		this.show()
	}

	/** Runs an action and shows what stopped it. */
	async report(action) {
		try {
			return await action()
		} catch (e) {
			vscode.window.showErrorMessage(plain(e.message))
		}
	}

	/** Starts emend for each folder that is new, and ends it for those that are gone. */
	openFolders() {
		const folders = (vscode.workspace.workspaceFolders ?? []).filter(f => f.uri.scheme === 'file').map(f => f.uri.fsPath)
		for (const w of this.workspaces.filter(w => !folders.includes(w.folder))) {
			w.close()
		}
		this.workspaces = folders.map(folder => this.workspaces.find(w => w.folder === folder) ?? this.openFolder(folder))
		this.show()
	}

	openFolder(folder) {
		const w = new Workspace(folder, {
			program: () => vscode.workspace.getConfiguration('emend').get('path'),
			onChange: () => this.show(),
		})
		w.open()
		return w
	}

	restart() {
		for (const w of this.workspaces) {
			w.restart()
		}
	}

	closeAll() {
		for (const w of this.workspaces) {
			w.close()
		}
	}

	/** Shows everything again. */
	show() {
		this.timeline.refresh()
		this.waiting.refresh()
		this.documents.refresh()
		const waiting = this.workspaces.flatMap(w => w.waiting).length
		const broken = this.workspaces.find(w => !['running', 'starting'].includes(w.state))
		this.waitingView.badge = waiting > 0 ? { value: waiting, tooltip: waiting === 1 ? '1 call waits for you' : `${waiting} calls wait for you` } : undefined
		this.status.text = waiting > 0 ? `$(bell-dot) emend: ${waiting} waiting` : broken ? '$(warning) emend' : '$(history) emend'
		this.status.tooltip = broken ? plain(broken.message) : waiting > 0 ? 'Calls of agents wait for your answer' : 'What agents changed here'
		this.status.backgroundColor = waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined
		if (this.workspaces.length > 0) {
			this.status.show()
		} else {
			this.status.hide()
		}
		const state = broken?.state ?? (this.workspaces.some(w => w.state === 'starting') ? 'starting' : 'running')
		vscode.commands.executeCommand('setContext', 'emend.state', state)
		vscode.commands.executeCommand('setContext', 'emend.waiting', waiting > 0)
		this.timelineView.message = broken && this.workspaces.some(w => w.calls.length > 0) ? plain(broken.message) : undefined
		if (broken && broken.told !== broken.message && broken.state !== 'stopped') {
			broken.told = broken.message
			this.tellProblem(broken)
		}
	}

	async tellProblem(w) {
		const choice = await vscode.window.showWarningMessage(plain(w.message), 'Open Settings', 'Try Again')
		if (choice === 'Open Settings') {
			vscode.commands.executeCommand('workbench.action.openSettings', 'emend.path')
		} else if (choice === 'Try Again') {
			w.told = undefined
			w.restart()
		}
	}

	workspaceAt(root) {
		return this.workspaces.find(w => w.root === root && w.client)
	}

	fileOf(w, name) {
		return vscode.Uri.file(path.join(w.root, ...name.split('/')))
	}

	/** Opens the diffs of an entry in the editor's own view. */
	async openDiff({ workspace, call }) {
		const change = await workspace.change(call.entry)
		if (change.files.length === 0) {
			return vscode.window.showInformationMessage(plain(call.message || 'This call changed no file.'))
		}
		const node = { workspace, call: change }
		return this.run(change.files.length === 1 ? this.documents.diffCommand({ ...node, file: change.files[0] }) : this.documents.changesCommand(node))
	}

	run(command) {
		return vscode.commands.executeCommand(command.command, ...command.arguments)
	}

	/** Undoes what a row of the timeline stands for. */
	undoNode({ workspace, session, turn, call, file, hunk }) {
		const args = {}
		let tool = 'undo'
		if (turn) {
			tool = 'undo_turn'
			Object.assign(args, { sessionId: [session.session], turn: [turn.turn] })
		} else if (session && !call) {
			args.sessionId = [session.session]
		} else {
			args.entry = [call.entry]
			if (file) {
				tool = 'undo_pieces'
				args.path = [file.path]
				if (hunk) {
					args.hunks = [String(hunk.n)]
				}
			}
		}
		return this.undo(workspace, `${tool}?${form(args)}`)
	}

	/** Shows what an undo would do, asks, and does it. Where it conflicts, the rest of it is offered. */
	async undo(w, what) {
		const preview = await w.get('confirm/' + what)
		const detail = [preview.summary, ...(preview.files ?? []).map(f => `${f.did} ${f.path}`), ...(preview.notes ?? []),
			...(preview.stays ?? []).map(e => 'Not undone: ' + sentenceOf(e))].filter(Boolean).slice(0, 12).join('\n')
		if (!preview.form) {
			const why = preview.obstacles?.map(sentenceOf).join('\n') || preview.empty || 'These pages are read-only.'
			const buttons = preview.skip ? ['Undo the Rest'] : []
			const choice = await vscode.window.showWarningMessage(plain(preview.title), { modal: true, detail: plain(why) }, ...buttons)
			return choice ? this.undo(w, preview.skip) : undefined
		}
		const show = 'Show Diff'
		let choice = await vscode.window.showWarningMessage(plain(preview.title), { modal: true, detail: plain(detail) }, preview.button, show)
		if (choice === show) {
			const diff = preview.files.map(f => f.diff ?? '').join('')
			await vscode.window.showTextDocument(this.documents.textUri('undo.diff', diff), { preview: true })
			choice = await vscode.window.showInformationMessage(plain(`${preview.title}?`), preview.button)
		}
		if (choice === preview.button) {
			const done = await w.send(preview.form)
			vscode.window.setStatusBarMessage(plain(`${preview.title}: done${done.entry ? ` (${done.entry})` : ''}`), 5000)
		}
	}

	keep({ call, file, hunk }, on) {
		this.kept.set(on, call.entry, file?.n, hunk?.n)
		this.show()
	}

	/** Returns a hunk of a file that is open in a diff, as a row of the timeline. Without a number it is the one at the cursor. */
	async pieceOf(uri, n) {
		const q = this.documents.parse(uri)
		const w = q?.entry && this.workspaceAt(q.root)
		if (!w) {
			return undefined
		}
		const change = await w.change(q.entry)
		const file = change.files[q.file]
		const hunks = hunksOf(file.diff ?? '')
		const editor = vscode.window.activeTextEditor
		const hunk = n ? hunks.find(h => h.n === n) : hunkAt(hunks, q.side, editor?.document.uri.toString() === uri.toString() ? editor.selection.active.line : 0)
		return { workspace: w, call: change, file, hunk: file.pieces?.length > 1 ? hunk : undefined }
	}

	async hunkHere() {
		const uri = vscode.window.activeTextEditor?.document.uri
		const piece = uri?.scheme === scheme && await this.pieceOf(uri)
		if (!piece) {
			vscode.window.showInformationMessage('Open a diff of emend, and put the cursor into a hunk.')
		}
		return piece
	}

	async undoHere() {
		const piece = await this.hunkHere()
		return piece && this.undoNode(piece)
	}

	async keepHere() {
		const piece = await this.hunkHere()
		return piece && this.keep(piece, true)
	}
}

module.exports = { activate, deactivate }
