/** The agent tools: a client that shows its model the text of a result. */
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { elementSchema } from '@phonerack/shared'
import { z } from 'zod'
import { type Screen } from '@phonerack/e2e/tasks/way.js'
import { sizeOf, textOf, type ToolSize } from '@phonerack/e2e/system/tool-texts.js'
import { byteLength, Count, type CountedWay } from './counted.js'
import { changedScreen, screenIn } from './text-screen.js'

const elementsSchema = z.object({ elements: z.array(elementSchema) })

export interface McpWay extends CountedWay {
  /** The size of the list of tools. */
  toolSize(): Promise<ToolSize>
}

/** @param onlyChanges passes the last snapshot, so that answers have only changes */
export async function countedMcp(
  url: string,
  key: string,
  phoneId: string,
  onlyChanges = false,
): Promise<McpWay> {
  const count = new Count()
  const client = new Client(
    { name: 'phonerack-bench', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  const call = async (name: string, args: Record<string, unknown>): Promise<CallToolResult> => {
    const result = await client.callTool({ name, arguments: { phone_id: phoneId, ...args } })
    const [sent, text] = [JSON.stringify({ name, args }), textOf(result)]
    count.add(byteLength(sent) + byteLength(JSON.stringify(result)), sent, text)
    if (result.isError === true) throw new Error(`${name}: ${text}`)
    return result
  }
  let known: Screen | null = null
  const screenOf = (result: CallToolResult): Screen => {
    const text = textOf(result)
    const snapshotId = /snapshot_id (snp_\w+)/.exec(text)?.[1] ?? ''
    known = onlyChanges ? changedScreen(known, text, snapshotId) : screenIn(text, snapshotId)
    return known
  }
  const sinceLast = (): { since?: string } => (onlyChanges && known ? { since: known.snapshot_id } : {})
  return {
    count,
    async act(actions, observe) {
      const result = await call('act', { actions, ...(observe === 'none' ? { observe } : sinceLast()) })
      return observe === 'none' ? null : screenOf(result)
    },
    async observe(bounds) {
      const result = await call('observe', bounds ? { elements: true } : sinceLast())
      const screen = screenOf(result)
      return bounds ? { ...screen, ...elementsSchema.parse(result.structuredContent) } : screen
    },
    toolSize: async () => sizeOf((await client.listTools()).tools),
    stop: () => client.close(),
  }
}
