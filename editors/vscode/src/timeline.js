'use strict'

const vscode = require('vscode')
const path = require('node:path')
const { groupCalls, hunksOf, linesOf, linesText, plain } = require('./model')

/** The icons of the ways in which calls end. */
const outcomeIcons = { done: 'circle-outline', refused: 'circle-slash', aborted: 'error', recovered: 'circle-outline', reverted: 'error', undone: 'discard' }

function clock(time) {
	const t = new Date(time), today = new Date().toDateString() === t.toDateString()
	return t.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) + (today ? '' : ', ' + t.toLocaleDateString([], { day: 'numeric', month: 'short' }))
}

/** Names a call: "Claude Code 2.1: edited cart.go". */
function nameOf(call) {
	return `${call.who}: ${call.did}`
}

function first(text) {
	return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/**
 * Timeline is the tree of sessions, their turns, calls, files and hunks. A node names what it stands for: workspace, session,
 * turn, call, file, hunk.
 */
class Timeline {
	constructor(emend) {
		this.emend = emend
		this.changed = new vscode.EventEmitter()
		this.onDidChangeTreeData = this.changed.event
		this.hidden = false
	}

	refresh() {
		this.changed.fire()
	}

	hideReviewed(on) {
		this.hidden = on
		vscode.commands.executeCommand('setContext', 'emend.hideReviewed', on)
		this.refresh()
	}

	getChildren(node) {
		if (!node) {
			const all = this.emend.workspaces
			return all.length > 1 ? all.map(workspace => ({ kind: 'folder', workspace })) : all.flatMap(w => this.sessions(w))
		}
		switch (node.kind) {
		case 'folder': return this.sessions(node.workspace)
		case 'session': return this.turns(node)
		case 'turn': return node.turn.calls.map(call => this.callNode(node, call))
		case 'call': return this.files(node)
		case 'file': return this.hunks(node)
		}
		return []
	}

	sessions(workspace) {
		const calls = this.hidden ? workspace.calls.filter(c => c.undoable && !this.emend.kept.has(c.entry)) : workspace.calls
		const out = groupCalls(calls).map(session => ({ kind: 'session', workspace, session }))
		if (workspace.more) {
			out.push({ kind: 'more', workspace })
		}
		return out
	}

	turns(node) {
		const { workspace, session } = node
		return session.turns.flatMap(turn => turn.turn ? [{ kind: 'turn', workspace, session, turn }] : turn.calls.map(call => this.callNode(node, call)))
	}

	callNode({ workspace, session }, call) {
		return { kind: 'call', workspace, session, call }
	}

	async files(node) {
		const change = await node.workspace.change(node.call.entry)
		const nodes = change.files.map(file => ({ ...node, kind: 'file', call: change, turn: undefined, file }))
		return nodes.length === 1 ? nodes.concat(this.hunks(nodes[0])) : nodes
	}

	hunks(node) {
		const { file } = node
		return file.pieces?.length > 1 ? hunksOf(file.diff ?? '').map(hunk => ({ ...node, kind: 'hunk', hunk })) : []
	}

	getTreeItem(node) {
		const item = new vscode.TreeItem('')
		item.id = [node.workspace.folder, node.kind, node.session?.id, node.turn?.calls.at(-1).entry, node.call?.entry, node.file?.n, node.hunk?.n].join('\n')
		this[node.kind](item, node)
		return item
	}

	folder(item, { workspace }) {
		item.label = path.basename(workspace.folder)
		item.iconPath = vscode.ThemeIcon.Folder
		item.description = workspace.state === 'running' ? '' : plain(workspace.message)
		item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded
	}

	session(item, { session }) {
		const calls = session.calls
		item.label = plain(first(session.who))
		item.description = [clock(calls.at(-1).time), linesText(linesOf(calls))].filter(Boolean).join(' · ')
		item.tooltip = plain(`${session.session ?? 'no session'}: ${calls.length === 1 ? '1 call' : calls.length + ' calls'} listed`)
		item.iconPath = new vscode.ThemeIcon(session.who === 'you' ? 'account' : 'sparkle')
		item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded
		item.contextValue = session.session && calls.some(c => c.undoable) ? 'session undoable' : 'session'
	}

	turn(item, { turn }) {
		item.label = `Turn at ${clock(turn.calls.at(-1).time)}`
		item.description = linesText(linesOf(turn.calls))
		item.iconPath = new vscode.ThemeIcon('comment')
		item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded
		item.contextValue = turn.calls.some(c => c.undoable) ? 'turn undoable' : 'turn'
	}

	call(item, { call }) {
		const kept = this.emend.kept.has(call.entry)
		item.label = plain(first(call.did))
		item.description = [linesText(linesOf([call])), clock(call.time), call.partlyUndone && call.outcome !== 'undone' && 'partly undone', kept && 'kept'].filter(Boolean).join(' · ')
		item.tooltip = plain([nameOf(call), call.message, call.undoneBy && `Undone by ${call.undoneBy}`, call.entry].filter(Boolean).join('\n'))
		item.iconPath = new vscode.ThemeIcon(kept ? 'pass' : outcomeIcons[call.outcome] ?? 'circle-outline')
		item.collapsibleState = call.fileCount > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None
		item.contextValue = context('call', call.undoable, kept, call.fileCount > 0)
	}

	file(item, node) {
		const { workspace, call, file } = node
		const name = file.to ?? file.path
		const piece = file.pieces?.[0]
		const kept = this.emend.kept.has(call.entry, file.n)
		item.label = plain(path.posix.basename(name))
		item.resourceUri = this.emend.fileOf(workspace, name)
		item.iconPath = vscode.ThemeIcon.File
		item.description = [path.posix.dirname(name) === '.' ? '' : plain(path.posix.dirname(name)), piece?.undoneBy && 'undone', kept && 'kept'].filter(Boolean).join(' · ')
		item.tooltip = plain(`${file.path}${file.to ? ' → ' + file.to : ''}`)
		item.collapsibleState = file.pieces?.length > 1 && call.files.length > 1 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None
		item.contextValue = context('file', piece?.undoable, kept, true)
		item.command = this.emend.documents.diffCommand(node)
	}

	hunk(item, node) {
		const { call, file, hunk } = node
		const piece = file.pieces[hunk.n]
		const kept = this.emend.kept.has(call.entry, file.n, hunk.n)
		item.label = `Hunk ${hunk.n}`
		item.description = [piece?.undoneBy && 'undone', kept && 'kept', plain(hunk.summary).slice(0, 80)].filter(Boolean).join(' · ')
		item.iconPath = new vscode.ThemeIcon(piece?.undoneBy ? 'discard' : kept ? 'pass' : 'diff')
		item.contextValue = context('hunk', piece?.undoable, kept, true)
		item.command = this.emend.documents.diffCommand(node)
	}

	more(item) {
		item.label = 'Load older changes'
		item.iconPath = new vscode.ThemeIcon('ellipsis')
		item.command = { command: 'emend.loadOlder', title: 'Load Older Changes' }
	}
}

/** The words by which package.json chooses the actions of a row. */
function context(kind, undoable, kept, open) {
	return [kind, undoable && 'undoable', kept ? 'kept' : 'unkept', open && 'open'].filter(Boolean).join(' ')
}

module.exports = { Timeline }
