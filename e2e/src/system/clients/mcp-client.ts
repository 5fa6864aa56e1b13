/** The agent tools over `phonerack mcp`: an agent's client starts the program and calls its tools. */
import { Client, ProtocolError, type CallToolResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { cliProgram } from './cli-client.js'
import {
  environmentOf,
  envelopeSchema,
  failureOf,
  type ClientKind,
  type ClientProcess,
  type ClientSettings,
  type CreateCall,
  type Outcome,
} from './client.js'

const resultSchema = z.looseObject({ id: z.string().optional(), error: envelopeSchema.optional() })
const brokenSchema = z.object({ error: envelopeSchema })

export const mcpClient: ClientKind = {
  name: 'the agent tools',
  repeatsCreates: false,
  // All tools use the same program.
  lineOf: () => 'POST /mcp',
  async open(settings) {
    const client = new McpClient(settings)
    await client.connect()
    return client
  },
}

class McpClient implements ClientProcess {
  private readonly client: Client
  private readonly transport: StdioClientTransport
  private isKilled = false

  constructor(settings: ClientSettings) {
    this.client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [cliProgram, 'mcp'],
      env: environmentOf(settings),
    })
  }

  connect(): Promise<void> {
    return this.client.connect(this.transport)
  }

  create({ metadata, key }: CreateCall): Promise<Outcome | null> {
    return this.call('create_phone', { metadata, ...(key === undefined ? {} : { idempotency_key: key }) })
  }
  act(phone: string, actions: readonly object[]): Promise<Outcome | null> {
    return this.call('act', { phone_id: phone, actions, observe: 'none' })
  }
  start(phone: string, maxDuration: number): Promise<Outcome | null> {
    return this.call('start_phone', { phone_id: phone, max_duration: maxDuration })
  }
  observe(phone: string): Promise<Outcome | null> {
    return this.call('observe', { phone_id: phone })
  }

  private async call(name: string, args: Record<string, unknown>): Promise<Outcome | null> {
    let result: CallToolResult
    try {
      result = await this.client.callTool({ name, arguments: args })
    } catch (error) {
      if (this.isKilled) return null
      // The connection to the service failed.
      if (!(error instanceof ProtocolError)) throw error
      return { phone: null, failure: failureIn(error.message, brokenSchema.parse(error.data).error) }
    }
    const { id, error } = resultSchema.parse(result.structuredContent)
    if (result.isError !== true) return { phone: id ?? null, failure: null }
    return { phone: null, failure: failureIn(JSON.stringify(result.content), error) }
  }

  async kill(): Promise<void> {
    this.isKilled = true
    const { pid } = this.transport
    if (pid !== null) process.kill(pid, 'SIGKILL')
    await this.client.close()
  }

  async close(): Promise<void> {
    if (!this.isKilled) await this.client.close()
  }
}

/** The message is the text that a client shows its model. */
const failureIn = (message: string, envelope: unknown) => failureOf(envelope, /may have run/.test(message))
