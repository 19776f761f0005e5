// The official client for TypeScript, first generation.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { drive } from './steps.mjs'

const plan = JSON.parse(process.argv[2])
const client = new Client({ name: 'interop-v1', version: '1.0.0' }, { capabilities: { elicitation: {} } })
const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers: { Authorization: `Bearer ${plan.token}` } } })
  : new StdioClientTransport({ command: plan.command, args: plan.args, env: plan.env, stderr: 'inherit' })

let revision
const set = transport.setProtocolVersion?.bind(transport)
transport.setProtocolVersion = (v) => { revision = v; set?.(v) }

await drive(plan, {
  connect: () => client.connect(transport),
  revision: () => revision,
  tools: async () => (await client.listTools()).tools,
  call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  read: async (uri) => (await client.readResource({ uri })).contents,
  person: (answer) => client.setRequestHandler(ElicitRequestSchema, async (r) => answer(r.params)),
  close: () => client.close(),
})
