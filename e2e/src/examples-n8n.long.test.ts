/**
 * The workflow for n8n: the requests of its nodes, in their order, against a running system. n8n itself is
 * too large for a test (2.8 GB). Its nodes use the client of `@modelcontextprotocol/sdk`, with a new client
 * for each call.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { note } from './examples/note.js'
import { root } from './system/system.js'
import { newKey, newTenant, saysNoneFree, untilFree, type Tenant } from './system/tenant.js'

const nodeSchema = z.object({
  name: z.string(),
  type: z.string(),
  parameters: z.record(z.string(), z.unknown()),
})
const links = z.array(z.array(z.object({ node: z.string() }).transform(({ node }) => node)))
const workflow = z
  .object({ nodes: z.array(nodeSchema), connections: z.record(z.string(), z.record(z.string(), links)) })
  .parse(JSON.parse(readFileSync(path.join(root, 'examples/n8n/workflow.json'), 'utf8')))

/** The parameters of a node that calls one tool, and of the node that gives tools to the agent. */
const server = {
  endpointUrl: z.literal('http://127.0.0.1:7700/mcp'),
  serverTransport: z.literal('httpStreamable'),
  authentication: z.literal('bearerAuth'),
}
const callSchema = z.object({
  ...server,
  tool: z.object({ value: z.string() }),
  inputMode: z.literal('json'),
  jsonInput: z.string(),
})
const toolsSchema = z.object({ ...server, include: z.literal('selected'), includeTools: z.array(z.string()) })

const system = inject('system')
let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await newTenant(system)
  key = await newKey(system, tenant.projectId, 'agent', { profile: 'guarded' })
})

/** The outputs of nodes, by their names. */
type Outputs = Readonly<Record<string, { structuredContent?: Record<string, unknown> | undefined }>>

function parametersOf(name: string): Record<string, unknown> {
  const found = workflow.nodes.find((node) => node.name === name)
  if (found === undefined) throw new Error(`there is no node ${name}`)
  return found.parameters
}

/**
 * The value of a parameter: after `=`, expressions are in double braces; a single expression keeps its type.
 */
function valueOf(text: string, outputs: Outputs, input: string): unknown {
  if (!text.startsWith('=')) return text
  const scope = { $: (name: string) => ({ item: { json: outputs[name] } }), $json: outputs[input] }
  const evaluate = (code: string): unknown => runInNewContext(`(${code})`, scope)
  const sole = /^=\{\{(.*)\}\}$/s.exec(text)?.[1]
  if (sole !== undefined) return evaluate(sole)
  return text.slice(1).replaceAll(/\{\{(.*?)\}\}/gs, (_, code: string) => String(evaluate(code)))
}

async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(
    { name: '@n8n/n8n-nodes-langchain.mcpClient', version: '1.1' },
    { capabilities: {} },
  )
  const headers = { Authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(system.up.mcp_url), { requestInit: { headers } }),
  )
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const callTool = (name: string, args: unknown): Promise<CallToolResult> =>
  withClient(async (client) =>
    CallToolResultSchema.parse(
      await client.callTool({ name, arguments: z.record(z.string(), z.unknown()).parse(args) }),
    ),
  )

/** Runs a node that calls one tool. */
function runNode(name: string, outputs: Outputs, input = ''): Promise<CallToolResult> {
  const { tool, jsonInput } = callSchema.parse(parametersOf(name))
  const value = valueOf(jsonInput, outputs, input)
  return callTool(tool.value, typeof value === 'string' ? JSON.parse(value) : value)
}

it('connects its nodes: each way from the agent deletes the phone', () => {
  const next = (name: string, kind = 'main') => workflow.connections[name]?.[kind]
  expect(next('Start')).toEqual([['Rent a phone']])
  expect(next('Rent a phone')).toEqual([['Agent']])
  expect(next('Agent')).toEqual([['Delete the phone'], ['Delete the phone after an error']])
  expect(next('Delete the phone after an error')).toEqual([['Fail']])
  expect(next('Model', 'ai_languageModel')).toEqual([['Agent']])
  expect(next('Phonerack', 'ai_tool')).toEqual([['Agent']])
})

it.each(['Delete the phone', 'Delete the phone after an error'])(
  'writes a note within its limits, up to "%s"',
  async (last) => {
    const rented = await untilFree(
      () => runNode('Rent a phone', {}),
      ({ isError, content }) => isError === true && saysNoneFree(JSON.stringify(content)),
    )
    const outputs = { 'Rent a phone': { structuredContent: rented.structuredContent } }
    const phoneId = String(rented.structuredContent?.['id'])
    const { text } = z.object({ text: z.string() }).parse(parametersOf('Agent'))
    expect(valueOf(text, outputs, 'Rent a phone')).toContain(`Use the phone ${phoneId}.`)

    const { includeTools } = toolsSchema.parse(parametersOf('Phonerack'))
    const { tools } = await withClient((client) => client.listTools())
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(includeTools))
    const results: string[] = []
    for (const turn of note) {
      if (!('tool' in turn)) continue
      expect(includeTools).toContain(turn.tool)
      const { content } = await callTool(turn.tool, turn.input(phoneId))
      results.push(JSON.stringify(content))
    }
    expect(results[1]).toContain('handoff_required')
    expect(results[2]).toMatch(/EditText \\+"Milk\\+"/)

    const ended = await runNode(last, outputs, 'Agent')
    expect(ended.isError, JSON.stringify(ended)).toBeFalsy()
    const { body } = await tenant.admin.get(`/v1/phones/${phoneId}`)
    expect(z.object({ status: z.string() }).parse(body).status).toBe('deleted')
  },
)
