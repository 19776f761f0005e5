'use strict'

// What the extension makes of emend's answers before it shows them. This file does not use the API of VS Code.

/** Groups calls, the newest first, by session and turn, as the pages do: the session with the newest call comes first. */
function groupCalls(calls) {
	const sessions = new Map()
	for (const c of calls) {
		const id = c.session ?? `nobody:${c.who}`
		if (!sessions.has(id)) {
			sessions.set(id, { id, session: c.session, who: c.who, calls: [], turns: [] })
		}
		const s = sessions.get(id)
		s.calls.push(c)
		const last = s.turns.at(-1)
		if (last && last.turn === c.turn) {
			last.calls.push(c)
		} else {
			s.turns.push({ turn: c.turn, calls: [c] })
		}
	}
	return [...sessions.values()]
}

/** Adds up the lines of calls that were not undone; undefined if none of them is known. */
function linesOf(calls) {
	let added = 0, removed = 0, known = false
	for (const c of calls) {
		if (c.added !== undefined && c.outcome !== 'undone') {
			known = true
			added += c.added
			removed += c.removed
		}
	}
	return known ? { added, removed } : undefined
}

/** Words lines as "+3 −1". */
function linesText(lines) {
	return lines && lines.added + lines.removed > 0 ? `+${lines.added} −${lines.removed}` : ''
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/**
 * Returns the hunks of the diff of one file: their numbers from 1, as emend numbers them, the lines that they have on either
 * side, and their changed lines.
 */
function hunksOf(diff) {
	const out = []
	for (const line of diff.split('\n')) {
		const m = hunkHeader.exec(line)
		if (m) {
			out.push({ n: out.length + 1, old: +m[1], olds: +(m[2] ?? 1), new: +m[3], news: +(m[4] ?? 1), lines: [] })
		} else if (out.length > 0) {
			out.at(-1).lines.push(line)
		}
	}
	for (const h of out) {
		h.summary = (h.lines.find(l => l.startsWith('+')) ?? h.lines.find(l => l.startsWith('-')) ?? '').slice(1).trim()
		h.firstChange = firstChange(h)
	}
	return out
}

/** Returns the line of the new text at which a hunk's first change is, counted from 0. */
function firstChange(h) {
	let at = Math.max(h.new - 1, 0)
	for (const line of h.lines) {
		if (!line.startsWith(' ')) {
			break
		}
		at++
	}
	return at
}

/** Returns the hunk that has a line, counted from 0, on a side; the nearest before it if none has. */
function hunkAt(hunks, side, line) {
	let found
	for (const h of hunks) {
		const from = (side === 'before' ? h.old : h.new) - 1
		if (from <= line) {
			found = h
		}
	}
	return found ?? hunks[0]
}

/** Splits the diff of a question into files: path before and after, notes, and the text of the diff. */
function splitDiff(text) {
	const out = []
	for (const line of text.split(/(?<=\n)/)) {
		const m = /^diff --git /.exec(line)
		if (m) {
			out.push({ from: undefined, to: undefined, text: '' })
		}
		const f = out.at(-1)
		if (!f || line.startsWith('# ')) {
			continue
		}
		f.text += line
		if (!f.text.includes('\n@@ ')) {
			const name = /^(---|\+\+\+|rename from|rename to) (.*?)\r?\n?$/.exec(line)
			if (name) {
				const path = unquote(name[2])
				switch (name[1]) {
				case '---': f.from = path === '/dev/null' ? undefined : path.replace(/^a\//, ''); break
				case '+++': f.to = path === '/dev/null' ? undefined : path.replace(/^b\//, ''); break
				case 'rename from': f.from = path; break
				case 'rename to': f.to = path; break
				}
			}
		}
	}
	return out.filter(f => f.from || f.to)
}

/** Reads a path as git writes it: in quotes with escapes if it has unusual bytes. */
function unquote(name) {
	if (!name.startsWith('"')) {
		return name.replace(/\t$/, '')
	}
	const bytes = []
	for (let i = 1; i < name.length - 1; i++) {
		if (name[i] !== '\\') {
			bytes.push(...Buffer.from(name[i]))
			continue
		}
		const octal = /^[0-7]{3}/.exec(name.slice(i + 1))
		if (octal) {
			bytes.push(parseInt(octal[0], 8))
			i += 3
			continue
		}
		i++
		bytes.push(({ n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 })[name[i]] ?? name.charCodeAt(i))
	}
	return Buffer.from(bytes).toString('utf8')
}

/** Applies the diff of one file to its text, exactly. Returns undefined if it does not fit. */
function applyDiff(before, diff) {
	const lines = before.split(/(?<=\n)/)
	const out = []
	let at = 0
	for (const h of hunksOf(diff)) {
		const start = h.olds === 0 ? h.old : h.old - 1
		if (start < at || start > lines.length) {
			return undefined
		}
		out.push(...lines.slice(at, start))
		at = start
		for (let i = 0; i < h.lines.length; i++) {
			const bare = h.lines[i + 1]?.startsWith('\\') // "\ No newline at end of file"
			const text = h.lines[i].slice(1) + (bare ? '' : '\n')
			switch (h.lines[i][0]) {
			case ' ': case '-':
				if (lines[at] !== text) {
					return undefined
				}
				at++
				if (h.lines[i][0] === ' ') {
					out.push(text)
				}
				break
			case '+':
				out.push(text)
				break
			}
		}
	}
	return out.concat(lines.slice(at)).join('')
}

/** Returns what a diff has of one side of its file, for a text that is not kept any more, or that the diff does not fit. */
function sideOf(diff, side) {
	const leave = side === 'before' ? '+' : '-'
	return hunksOf(diff).map(h => h.lines.filter(l => l !== '' && l[0] !== leave && l[0] !== '\\').map(l => l.slice(1) + '\n').join('')).join('⋯\n')
}

/**
 * Makes a text of files and agents safe to show: control characters, invisible ones and those that change the direction of
 * writing become escapes, and nothing becomes a link. VS Code makes links, and links to commands, of [words](address) in messages.
 */
function plain(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, c => c === '\n' ? c : `\\u{${c.codePointAt(0).toString(16)}}`).replace(/\]\(/g, '] (')
}

/** Remembers what a person has kept: entries, files of entries and hunks of files. */
class Kept {
	/** @param {{get: Function, update: Function}} store such as vscode.Memento */
	constructor(store, most = 5000) {
		this.store = store
		this.most = most
		this.names = new Set(store.get('kept', []))
	}

	static name(entry, file, hunk) {
		return [entry, file, hunk].filter(part => part !== undefined).join('/')
	}

	has(entry, file, hunk) {
		return this.names.has(entry) || file !== undefined && this.names.has(Kept.name(entry, file)) || hunk !== undefined && this.names.has(Kept.name(entry, file, hunk))
	}

	set(on, entry, file, hunk) {
		const name = Kept.name(entry, file, hunk)
		this.names.delete(name)
		if (on) {
			this.names.add(name)
		} else { // what contains it, and what it contains, is no longer kept as a whole
			for (const other of this.names) {
				if (other.startsWith(name + '/') || name.startsWith(other + '/')) {
					this.names.delete(other)
				}
			}
		}
		return this.store.update('kept', [...this.names].slice(-this.most))
	}
}

module.exports = { Kept, applyDiff, groupCalls, hunkAt, hunksOf, linesOf, linesText, plain, sideOf, splitDiff }
