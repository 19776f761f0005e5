'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { Client, EventParser, findProgram, sentenceOf, start, startProblem } = require('../src/server')
const { Workspace } = require('../src/workspace')

/** Writes a program that behaves as emend would. */
function program(t, script) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'emend-vscode-'))
	t.after(() => fs.rmSync(dir, { recursive: true }))
	const file = path.join(dir, 'emend')
	fs.writeFileSync(file, `#!${process.execPath}\n${script}`, { mode: 0o755 })
	return file
}

test('emend is found in PATH and where programs are usually installed', () => {
	const find = (env, ...there) => findProgram('', env, 'linux', file => there.includes(file))
	assert.equal(findProgram('/opt/emend', {}, 'linux', () => false), '/opt/emend')
	assert.equal(find({ HOME: '/h', PATH: 'rel:/usr/bin:/opt/bin' }, 'rel/emend', '/opt/bin/emend', '/usr/local/bin/emend'), '/opt/bin/emend')
	assert.equal(find({ HOME: '/h', PATH: '/usr/bin' }, '/h/go/bin/emend'), '/h/go/bin/emend')
	assert.equal(find({ HOME: '/h' }), undefined)
})

test('it says why emend does not start', { skip: process.platform === 'win32' && 'NOT RUN: needs programs with #!' }, async t => {
	await assert.rejects(start('/not/there/emend', '.'), { kind: 'missing' })
	await assert.rejects(start(program(t, `console.error('emend: unknown flag: --until-eof'); process.exit(2)`), '.'), { kind: 'old' })
	await assert.rejects(start(program(t, `console.error('emend: the store is of another account'); process.exit(1)`), '.'),
		{ kind: 'refused', message: 'emend: the store is of another account' })
	await assert.rejects(start(program(t, ''), '.'), { kind: 'refused' })
	assert.match(startProblem(3, '').message, /exit code 3/)
})

test('a page of JSON that comes in parts is one address', async t => {
	const file = program(t, `process.stdout.write('{"url":'); setTimeout(() => console.log('"http://127.0.0.1:1/ui/#token=abc"}'), 50); process.stdin.resume().on('end', () => process.exit())`)
	const { child, url } = await start(file, '.')
	assert.equal(new Client(url).token, 'abc')
	const ended = new Promise(resolve => child.on('exit', resolve))
	child.stdin.end()
	assert.equal(await ended, 0)
})

/** A server that lets one token in and answers what a test says. */
async function serve(t, answer) {
	const seen = []
	let logins = 0
	const server = http.createServer((req, res) => {
		let body = ''
		req.on('data', part => { body += part })
		req.on('end', () => {
			seen.push([req.method, req.url, body, req.headers])
			if (req.url === '/ui/login') {
				logins++
				res.writeHead(303, { Location: `/ui/~root${logins}/`, 'Set-Cookie': `emend=secret${logins}; Path=/ui/~root${logins}/; HttpOnly` }).end()
				return
			}
			answer(req, res, logins)
		})
	})
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
	t.after(() => { server.closeAllConnections(); server.close() })
	const client = new Client(new URL(`http://127.0.0.1:${server.address().port}/ui/#token=the+token`))
	t.after(() => client.close())
	return { client, seen }
}

test('the client signs in, and again when its session has ended', async t => {
	const { client, seen } = await serve(t, (req, res, logins) => {
		if (logins === 1) {
			res.writeHead(401).end('{}')
			return
		}
		res.end(JSON.stringify({ url: req.url, cookie: req.headers.cookie }))
	})
	assert.deepEqual(await client.get('timeline?before=7'), { url: '/ui/~root2/default/json/timeline?before=7', cookie: 'emend=secret2' })
	assert.equal(seen[0][2], 'token=the+token')
	assert.ok(seen.every(([, url, , headers]) => !url.includes('the') && headers.origin === undefined))
	await client.send({ tool: 'undo', fields: { entry: ['a&b'], seal: ['s'] } }, { reason: 'no, thanks' })
	assert.deepEqual(seen.at(-1).slice(0, 3), ['POST', '/ui/~root2/default/do/undo', 'entry=a%26b&seal=s&reason=no%2C+thanks'])
})

test('errors say what emend says', async t => {
	const { client } = await serve(t, (req, res) => {
		if (req.url.endsWith('timeline')) {
			res.writeHead(404).end('<!DOCTYPE html>')
			return
		}
		res.writeHead(409).end(JSON.stringify({ errors: [{ path: 'f', message: 'it was changed since', next: 'Undo it by hand.' }] }))
	})
	await assert.rejects(client.get('timeline'), { kind: 'old' })
	await assert.rejects(client.get('other'), { kind: 'answer', message: 'f: it was changed since. Undo it by hand.' })
	assert.equal(sentenceOf({ path: 'f', message: 'f: gone' }), 'f: gone')
})

test('news come from a stream in any parts', () => {
	const got = []
	const p = new EventParser(n => got.push(n.head))
	for (const part of ['retry: 1000\n\nevent: ne', 'ws\ndata: {"he', 'ad":1}\n', '\n: still here\n\nevent: news\ndata: {"head":2}\n\n']) {
		p.push(part)
	}
	assert.deepEqual(got, [1, 2])
})

test('a workspace follows emend, and starts it again when it ends', { skip: process.platform === 'win32' && 'NOT RUN: needs programs with #!' }, async t => {
	const file = program(t, `
const http = require('http')
const s = http.createServer((q, r) => {
	if (q.url === '/ui/login') return r.writeHead(303, { Location: '/ui/~r/', 'Set-Cookie': 'emend=x; Path=/' }).end()
	if (q.url.endsWith('/events')) { r.writeHead(200, { 'Content-Type': 'text/event-stream' }); r.write('data: {"head":2,"waiting":1}\\n\\n'); return }
	if (q.url.endsWith('/waiting')) return r.end('{"waiting":[{"id":"q1"}]}')
	if (q.url.endsWith('/change/x')) return process.exit(1)
	r.end('{"version":1,"root":"/r","head":2,"calls":[{"entry":"x"}]}')
})
s.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + s.address().port + '/ui/#token=t' })))
process.stdin.resume().on('end', () => process.exit())`)
	let changed
	const states = []
	const w = new Workspace('.', { program: () => file, retry: 10, onChange: () => { states.push(w.state); changed?.() } })
	t.after(() => w.close())
	const until = async what => {
		while (!what()) {
			await new Promise(resolve => { changed = resolve })
		}
	}
	w.open()
	await until(() => w.waiting.length === 1)
	assert.equal(w.root, '/r')
	assert.deepEqual(w.calls, [{ entry: 'x' }])
	await assert.rejects(w.change('x'))
	await until(() => w.state === 'stopped')
	assert.deepEqual(w.waiting, [])
	await until(() => w.state === 'running' && w.waiting.length === 1)
	assert.ok(states.includes('stopped'))
})
