// Anthropic's SDK asks the API, and emend makes the tool calls that the API sends.
import Anthropic from '@anthropic-ai/sdk'
import { spawnSync } from 'node:child_process'

const { base, command, dir, env } = JSON.parse(process.argv[2])
const client = new Anthropic({ apiKey: 'key', baseURL: base, maxRetries: 0 })
const tools = [
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  { type: 'memory_20250818', name: 'memory' },
]
const messages = [{ role: 'user', content: 'Rename fib' }]
for (let turn = 0; turn < 10; turn++) {
  const message = await client.messages.create({ model: 'model', max_tokens: 1024, messages, tools })
  const results = []
  for (const block of message.content) {
    if (block.type !== 'tool_use') continue
    const made = spawnSync(command, ['call', '--profile', 'anthropic', block.name, JSON.stringify(block.input)], { cwd: dir, env, encoding: 'utf8' })
    const { ok, output } = JSON.parse(made.stdout)
    results.push({ type: 'tool_result', tool_use_id: block.id, content: output, is_error: !ok })
  }
  if (results.length === 0) {
    console.log(message.content[0].text)
    break
  }
  messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results })
}
