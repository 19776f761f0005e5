// OpenAI's SDK asks the API, and emend makes the operations that the API sends.
import OpenAI from 'openai'
import { spawnSync } from 'node:child_process'

const { base, command, dir, env } = JSON.parse(process.argv[2])
const client = new OpenAI({ apiKey: 'key', baseURL: base + '/v1', maxRetries: 0 })
const tools = [{ type: 'apply_patch' }]
let request = { model: 'model', input: 'Rename fib', tools }
for (let turn = 0; turn < 10; turn++) {
  const response = await client.responses.create(request)
  const outputs = []
  for (const item of response.output) {
    if (item.type !== 'apply_patch_call') continue
    const made = spawnSync(command, ['call', '--profile', 'openai', 'apply_patch', JSON.stringify(item.operation)], { cwd: dir, env, encoding: 'utf8' })
    const { status, output } = JSON.parse(made.stdout)
    outputs.push({ type: 'apply_patch_call_output', call_id: item.call_id, status, output })
  }
  if (outputs.length === 0) {
    console.log(response.output_text)
    break
  }
  request = { model: 'model', previous_response_id: response.id, input: outputs, tools }
}
