// What a program does through any of the official clients. A step looks at what the client was given, as text and as an
// object, and at the files on disk. It prints a line for each step that was as it should be, and ends at the first that was not.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export async function drive(plan, client) {
  const at = (name) => join(plan.dir, name)
  const disk = (name) => readFileSync(at(name), 'utf8')
  const sha = (name) => createHash('sha256').update(readFileSync(at(name))).digest('hex')
  const used = new Set()
  let revision

  const call = async (name, args, options) => {
    used.add(name)
    const r = await client.call(name, args, { timeout: 60000, ...options })
    assert.equal(r.content.length, 1)
    assert.equal(r.content[0].type, 'text')
    return { text: r.content[0].text, object: r.structuredContent, refused: r.isError === true }
  }
  // told is the text of a result that is mostly text, and has no object.
  const told = async (name, args) => {
    const r = await call(name, args)
    assert.equal(r.refused, false, r.text)
    assert.equal(r.object, undefined)
    return r.text
  }
  // done is the data of a result that is told both ways, with the same words.
  const done = async (name, args) => {
    const r = await call(name, args)
    assert.equal(r.refused, false, r.text)
    assert.equal(r.object.ok, true)
    const shown = r.text.split('\n') // with the diffs of a dry run between the lines of output
    assert.ok(r.object.output.split('\n').every((line) => shown.includes(line)), r.text)
    return { ...r.object.data, text: r.text }
  }
  const refused = async (name, args, kind) => {
    const r = await call(name, args)
    assert.equal(r.refused, true, r.text)
    assert.equal(r.object.ok, false)
    assert.equal(r.object.error.kind, kind)
    assert.equal(r.object.output, r.text)
    assert.match(r.text, new RegExp(kind))
    return r
  }
  // hash is what read_file says of a file, in the line above its text.
  const hash = async (name) => /sha256 ([0-9a-f]{64})/.exec(await told('read_file', { path: name }))[1]

  const steps = {
    async connect() {
      await client.connect()
      revision = client.revision()
      assert.equal(revision, plan.revision)
    },

    async 'list the tools'() {
      const tools = await client.tools()
      assert.deepEqual(tools.map((t) => t.name).sort(), [...plan.tools].sort())
      for (const t of tools) assert.equal(t.inputSchema.type, 'object')
      const hints = (name) => tools.find((t) => t.name === name).annotations
      assert.equal(hints('read_file').readOnlyHint, true)
      assert.equal(hints('delete_file').destructiveHint, true)
    },

    async read_file() {
      const text = await told('read_file', { path: 'src/a.txt' })
      assert.equal(text.split('\n').slice(1).join('\n'), disk('src/a.txt'))
      assert.equal(await hash('src/a.txt'), sha('src/a.txt'))
    },

    async list_directory() {
      assert.match(await told('list_directory', { path: 'src' }), /a\.txt/)
    },

    async glob() {
      const text = await told('glob', { pattern: 'src/*.txt' })
      assert.deepEqual(text.split('\n').slice(1), ['src/a.txt', 'src/b.txt'])
    },

    async search_files() {
      assert.match(await told('search_files', { query: 'two', mode: 'text', root: 'src' }), /^src\/a\.txt:2:two$/m)
    },

    async create_file() {
      const d = await done('create_file', { path: 'new/c.txt', content: 'made\n', createParentDirectories: true })
      assert.equal(disk('new/c.txt'), 'made\n')
      assert.equal(d.sha256, sha('new/c.txt'))
      assert.match(d.text, new RegExp(d.sha256))
      await refused('create_file', { path: 'new/c.txt', content: 'again\n' }, 'already_exists')
    },

    async edit_file() {
      const d = await done('edit_file', { path: 'src/a.txt', expectedSha256: await hash('src/a.txt'), edits: [{ oldText: 'two', newText: 'zwei' }] })
      assert.equal(disk('src/a.txt'), 'one\nzwei\nthree\n')
      assert.equal(d.afterSha256, sha('src/a.txt'))
    },

    async 'a stale hash is refused, and corrected'() {
      const old = await hash('src/b.txt')
      writeFileSync(at('src/b.txt'), 'a person was here\n')
      const r = await refused('write_file', { path: 'src/b.txt', content: 'mine\n', expectedSha256: old }, 'stale_file')
      assert.match(r.text, /Re-read the file to obtain the current sha256 and re-apply your edit\./)
      assert.equal(disk('src/b.txt'), 'a person was here\n')
      const d = await done('write_file', { path: 'src/b.txt', content: 'mine\n', expectedSha256: await hash('src/b.txt') })
      assert.equal(disk('src/b.txt'), 'mine\n')
      assert.equal(d.afterSha256, sha('src/b.txt'))
    },

    async edit_cell() {
      const notebook = source => `{"cells":[{"cell_type":"code","source":${source}}],"nbformat":4}`
      await done('create_file', { path: 'n.ipynb', content: notebook('"1"') })
      await done('edit_cell', { path: 'n.ipynb', expectedSha256: await hash('n.ipynb'), cell: '0', source: '2' })
      assert.equal(disk('n.ipynb'), notebook('"2"'))
    },

    async move_file() {
      const d = await done('move_file', { fromPath: 'new/c.txt', toPath: 'new/d.txt', expectedSha256: await hash('new/c.txt') })
      assert.equal(d.moved, true)
      assert.equal(existsSync(at('new/c.txt')), false)
      assert.equal(disk('new/d.txt'), 'made\n')
    },

    async apply_patch() {
      const patch = '*** Begin Patch\n*** Update File: src/a.txt\n@@\n-zwei\n+two\n*** Add File: src/e.txt\n+added\n*** End Patch\n'
      const preview = await done('apply_patch', { patch, dryRun: true })
      assert.equal(preview.changedFiles.length, 2)
      assert.equal(existsSync(at('src/e.txt')), false)
      const d = await done('apply_patch', { patch })
      assert.deepEqual(d.changedFiles.map((f) => f.operation), ['update', 'add'])
      assert.equal(disk('src/a.txt'), 'one\ntwo\nthree\n')
      assert.equal(disk('src/e.txt'), 'added\n')
    },

    async 'delete_file and restore_file'() {
      const before = sha('src/e.txt')
      const d = await done('delete_file', { path: 'src/e.txt' })
      assert.equal(existsSync(at('src/e.txt')), false)
      assert.ok(d.text.includes(d.trashedTo))
      const back = await done('restore_file', { trashedPath: d.trashedTo })
      assert.equal(back.path, 'src/e.txt')
      assert.equal(sha('src/e.txt'), before)
    },

    async 'history and undo'() {
      assert.match(await told('history', {}), /restore_file.*src\/e\.txt/)
      await done('create_file', { path: 'oops.txt', content: 'x\n' })
      const entry = /(\S+)  \S*create_file  A  oops\.txt/.exec(await told('history', { path: 'oops.txt' }))[1]
      await done('undo', { entry })
      assert.equal(existsSync(at('oops.txt')), false)
    },

    async 'arguments that do not fit'() {
      const r = await call('read_file', { path: 7 })
      assert.equal(r.refused, true)
      assert.match(r.text, /path/)
      await call('edit_file', { path: 'src/a.txt', edits: 'no list' }).then((r) => assert.match(r.text, /edits[^]*expectedSha256|expectedSha256[^]*edits/))
      assert.equal(disk('src/a.txt'), 'one\ntwo\nthree\n')
    },

    // The search would take minutes: progress has to come, and the end only by the cancellation.
    async 'progress, and a call that is cancelled'() {
      const stop = new AbortController()
      const seen = []
      const onprogress = (p) => {
        seen.push(p.progress)
        if (seen.length === 3) stop.abort()
      }
      const long = call('search_files', { query: '(?:[a-j]{1,8} ){4}[k-z]', mode: 'regex', root: 'slow' }, { onprogress, signal: stop.signal })
      await assert.rejects(long)
      assert.equal(seen.length >= 3, true)
      assert.deepEqual(seen, [...seen].sort((a, b) => a - b))
      await told('read_file', { path: 'src/a.txt' })
      if (plan.metrics) await until(async () => /^emend_calls_in_flight 0$/m.test(await metrics(plan)))
    },

    async resources() {
      assert.deepEqual((await client.resources()).map((r) => r.uri).sort(), ['emend://log', 'emend://trash'])
      assert.deepEqual((await client.templates()).map((r) => r.uriTemplate), ['emend://file/{+path}'])
      const [file] = await client.read('emend://file/src/a.txt')
      assert.equal(file.text, disk('src/a.txt'))
      const [log] = await client.read('emend://log')
      assert.match(log.text, /move_file/)
      await assert.rejects(client.read('emend://file/../outside'))
      await assert.rejects(client.read('emend://file/missing.txt'))
    },

    async 'a person is asked'() {
      let asked
      client.person((q) => { asked = q; return { action: 'accept', content: { answer: 'allow' } } })
      await done('create_file', { path: 'asked/yes.txt', content: 'yes\n', createParentDirectories: true })
      assert.equal(disk('asked/yes.txt'), 'yes\n')
      assert.match(asked.message, /asked\/yes\.txt/)
      client.person(() => ({ action: 'accept', content: { answer: 'deny', reason: 'not on a Saturday' } }))
      const r = await refused('create_file', { path: 'asked/no.txt', content: 'no\n' }, 'permission_denied')
      assert.match(r.text, /not on a Saturday/)
      assert.equal(existsSync(at('asked/no.txt')), false)
    },

    async 'every tool was called'() {
      assert.deepEqual([...used].sort(), [...plan.tools].sort())
    },

    close: () => client.close(),
  }

  for (const [name, step] of Object.entries(steps)) {
    try {
      await step()
    } catch (e) {
      console.error(`${name}: ${e.stack}`)
      process.exit(1)
    }
    console.log(`ok ${name}`)
  }
  console.log(`revision ${revision}`)
  process.exit(0)
}

const metrics = async (plan) => (await fetch(plan.metrics, { headers: { Authorization: `Bearer ${plan.token}` } })).text()

// until waits for something to become true, for at most 20 s.
async function until(what) {
  for (const end = Date.now() + 20000; Date.now() < end; await new Promise((r) => setTimeout(r, 50))) if (await what()) return
  assert.fail('it did not come true within 20 s')
}
