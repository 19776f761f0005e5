// The official client for TypeScript, second generation.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { drive } from './steps.mjs'

const plan = JSON.parse(process.argv[2])
const options = { capabilities: { elicitation: {} } }
if (plan.mode) options.versionNegotiation = { mode: plan.mode }
const client = new Client({ name: 'interop-v2', version: '1.0.0' }, options)
const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers: { Authorization: `Bearer ${plan.token}` } } })
  : new StdioClientTransport({ command: plan.command, args: plan.args, env: plan.env, stderr: 'inherit' })

await drive(plan, {
  connect: () => client.connect(transport),
  revision: () => client.getNegotiatedProtocolVersion(),
  tools: async () => (await client.listTools()).tools,
  call: (name, args, options) => client.callTool({ name, arguments: args }, options),
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  read: async (uri) => (await client.readResource({ uri })).contents,
  person: (answer) => client.setRequestHandler('elicitation/create', async (r) => answer(r.params)),
  close: () => client.close(),
})
