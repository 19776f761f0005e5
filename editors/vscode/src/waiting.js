'use strict'

const vscode = require('vscode')
const { plain } = require('./model')

/** Says what a call asks for: "create a.sql and 2 more files". */
function askOf(q) {
	const [p, ...rest] = q.paths
	return `${p.do} ${p.path}` + (rest.length > 0 ? ` and ${rest.length} more ${rest.length === 1 ? 'file' : 'files'}` : '')
}

/** Waiting is the tree of calls that wait for an answer. Each is told once as a notification too. */
class Waiting {
	constructor(emend) {
		this.emend = emend
		this.told = new Set()
		this.changed = new vscode.EventEmitter()
		this.onDidChangeTreeData = this.changed.event
	}

	refresh() {
		this.changed.fire()
		const waiting = this.getChildren()
		const ids = new Set(waiting.map(({ question }) => question.id))
		for (const id of this.told) {
			if (!ids.has(id)) {
				this.told.delete(id)
			}
		}
		for (const node of waiting) {
			if (!this.told.has(node.question.id)) {
				this.told.add(node.question.id)
				this.emend.report(() => this.tell(node))
			}
		}
	}

	getChildren(node) {
		return node ? [] : this.emend.workspaces.flatMap(workspace => workspace.waiting.map(question => ({ workspace, question })))
	}

	getTreeItem(node) {
		const q = node.question
		const item = new vscode.TreeItem(plain(askOf(q).replace(/^./, c => c.toUpperCase())))
		item.id = q.id
		item.description = plain(`${q.who} · until ${new Date(q.deadline).toLocaleTimeString()}`)
		item.tooltip = plain([`${q.who} wants to:`, ...q.paths.map(p => `${p.do} ${p.path} (rule ${p.rule}${p.why ? `, ${p.why}` : ''})`)].join('\n'))
		item.iconPath = new vscode.ThemeIcon('bell-dot')
		item.contextValue = q.allowSession ? 'question session' : 'question'
		item.command = this.emend.documents.questionCommand(node)
		return item
	}

	/** Asks in a notification. Dismissing it answers nothing: the call stays in the view. */
	async tell(node) {
		const q = node.question
		for (;;) {
			const choice = await vscode.window.showWarningMessage(plain(`${q.who} wants to ${askOf(q)}. Rule: ${q.rules}`), 'Allow', 'Deny', 'Show Diff')
			switch (choice) {
			case 'Allow': return this.answer(node, 'allow')
			case 'Deny': return this.deny(node)
			case 'Show Diff':
				await this.emend.run(this.emend.documents.questionCommand(node))
				continue // the notification is gone, the question is not
			}
			return
		}
	}

	/** Finds a question again: its forms are good once. */
	current({ workspace, question }) {
		const q = workspace.waiting.find(q => q.id === question.id)
		if (!q) {
			vscode.window.showInformationMessage('This call no longer waits for an answer.')
		}
		return q
	}

	async answer(node, form, filled) {
		const q = this.current(node)
		if (q) {
			await node.workspace.send(q[form], filled)
			node.workspace.waiting = node.workspace.waiting.filter(other => other.id !== q.id)
			this.emend.show()
		}
	}

	async deny(node) {
		const q = this.current(node)
		const reason = q && await vscode.window.showInputBox({ title: plain(`Deny: ${askOf(q)}`), prompt: 'Reason, for the agent. It may be empty.', ignoreFocusOut: true })
		if (reason !== undefined) {
			await this.answer(node, 'deny', reason ? { reason } : {})
		}
	}
}

module.exports = { Waiting }
