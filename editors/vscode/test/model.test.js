'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Kept, applyDiff, groupCalls, hunkAt, hunksOf, linesOf, linesText, plain, sideOf, splitDiff } = require('../src/model')

const diff = `diff --git a/f b/f
--- a/f
+++ b/f
@@ -1,3 +1,4 @@
 one
-two
+2
+two and a half
 three
@@ -10,2 +11,1 @@ func main
 ten
-eleven
\\ No newline at end of file
`

test('calls are grouped by session and turn', () => {
	const call = (entry, session, turn) => ({ entry, session, turn, who: 'Codex' })
	const groups = groupCalls([call(5, 'b'), call(4, 'a', 't2'), call(3, 'a', 't1'), call(2, 'b'), call(1, undefined)])
	assert.deepEqual(groups.map(s => [s.session, s.turns.map(t => [t.turn, t.calls.map(c => c.entry)])]),
		[['b', [[undefined, [5, 2]]]], ['a', [['t2', [4]], ['t1', [3]]]], [undefined, [[undefined, [1]]]]])
})

test('lines are those of calls that were not undone', () => {
	assert.deepEqual(linesOf([{ added: 3, removed: 1, outcome: 'done' }, { added: 9, removed: 9, outcome: 'undone' }, { outcome: 'refused' }]), { added: 3, removed: 1 })
	assert.equal(linesOf([{ outcome: 'done' }]), undefined)
	assert.equal(linesText({ added: 3, removed: 0 }), '+3 −0')
	assert.equal(linesText(undefined), '')
})

test('hunks have the numbers that emend gives them', () => {
	const hunks = hunksOf(diff)
	assert.deepEqual(hunks.map(h => [h.n, h.old, h.new, h.firstChange, h.summary]), [[1, 1, 1, 1, '2'], [2, 10, 11, 11, 'eleven']])
	assert.equal(hunkAt(hunks, 'after', 0).n, 1)
	assert.equal(hunkAt(hunks, 'after', 9).n, 1)
	assert.equal(hunkAt(hunks, 'after', 10).n, 2)
	assert.equal(hunkAt(hunks, 'before', 9).n, 2)
})

test('a diff is applied exactly or not at all', () => {
	const before = 'one\ntwo\nthree\n4\n5\n6\n7\n8\n9\nten\neleven'
	assert.equal(applyDiff(before, diff), 'one\n2\ntwo and a half\nthree\n4\n5\n6\n7\n8\n9\nten\n')
	assert.equal(applyDiff(before.replace('three', 'III'), diff), undefined)
	assert.equal(applyDiff(before + '\n', diff), undefined)
	assert.equal(applyDiff('', 'diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n'), 'a\nb\n')
	assert.equal(applyDiff('a\nb\n', '@@ -1,0 +2 @@\n+between\n'), 'a\nbetween\nb\n')
	assert.equal(applyDiff('a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n'), 'a\r\nc\r\n')
})

test('a diff has a part of each side', () => {
	assert.equal(sideOf(diff, 'before'), 'one\ntwo\nthree\n⋯\nten\neleven\n')
	assert.equal(sideOf(diff, 'after'), 'one\n2\ntwo and a half\nthree\n⋯\nten\n')
})

test('the diff of a question is split into files', () => {
	const files = splitDiff('# nobody looked at this\n' + diff + 'diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ "b/caf\\303\\251 \\"x\\""\n@@ -0,0 +1 @@\n+--- a/fake\n' +
		'diff --git a/old b/new\nrename from old\nrename to new\n')
	assert.deepEqual(files.map(f => [f.from, f.to]), [['f', 'f'], [undefined, 'café "x"'], ['old', 'new']])
	assert.equal(files[0].text, diff)
})

test('what is shown controls nothing and links to nothing', () => {
	assert.equal(plain('a\u202eb\u0007c\u200b\nd'), 'a\\u{202e}b\\u{7}c\\u{200b}\nd')
	assert.ok(!/\]\(/.test(plain('[x](command:workbench.action.quit)]((')))
})

test('what was kept is remembered, with what it contains', () => {
	const store = { kept: ['old'], get: (name, fallback) => store[name] ?? fallback, update: (name, value) => { store[name] = value } }
	const kept = new Kept(store, 3)
	assert.ok(kept.has('old'))
	kept.set(true, 'e', 0, 2)
	assert.ok(kept.has('e', 0, 2) && !kept.has('e', 0, 1) && !kept.has('e', 0) && !kept.has('e'))
	kept.set(true, 'e')
	assert.ok(kept.has('e', 0, 1) && kept.has('e', 3))
	kept.set(false, 'e', 0, 2)
	assert.ok(!kept.has('e') && !kept.has('e', 0, 2))
	for (const n of [1, 2, 3, 4]) {
		kept.set(true, 'x' + n)
	}
	assert.deepEqual(store.kept, ['x2', 'x3', 'x4'])
})
