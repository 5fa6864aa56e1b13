/**
 * Runs the tabs for MCP clients: connects with the page's configuration, and makes each call of a tool like a
 * model.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { textOf } from '../system/tool-texts.js'
import type { Block } from './blocks.js'

const callSchema = z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })
const configSchema = z.strictObject({
  mcpServers: z.strictObject({
    phonerack: z.strictObject({
      type: z.literal('http'),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  }),
})

export interface McpAccess {
  url: string
  key: string
  /** Called with each text that a tool returned. */
  onText(text: string): void
}

/**
 * Returns the output of each step: the texts of its results.
 * @throws Error with the text of a failed call
 */
export async function runTools(blocks: readonly Block[], access: McpAccess): Promise<Map<number, string>> {
  const outputs = new Map<number, string>()
  const ids = new Map<string, string>()
  let client = await connect(access.url, { Authorization: `Bearer ${access.key}` })
  try {
    for (const { code, step } of blocks) {
      const parsed: unknown = JSON.parse(code)
      const config = configSchema.safeParse(parsed)
      if (config.success) {
        const { url, headers } = config.data.mcpServers.phonerack
        const sent = Object.entries(headers).map(([name, value]) => [
          name,
          value.replace('${PHONERACK_API_KEY}', access.key),
        ])
        await client.close()
        client = await connect(url, Object.fromEntries(sent) as Record<string, string>)
        continue
      }
      for (const call of z.array(callSchema).parse(Array.isArray(parsed) ? parsed : [parsed])) {
        const result = await client.callTool({ name: call.name, arguments: withIds(call.arguments, ids) })
        const text = textOf(result)
        if (result.isError === true) throw new Error(`${call.name}: ${text}`)
        for (const [id, prefix = ''] of text.matchAll(/\b(ph|hnd|snp)_[a-z2-7]{12}\b/g)) ids.set(prefix, id)
        outputs.set(step, `${outputs.get(step) ?? ''}${text}\n`)
        access.onText(text)
      }
    }
  } finally {
    await client.close()
  }
  return outputs
}

async function connect(url: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'guide', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

/** `ph_…` becomes the phone of the earlier results, as a model fills it in. */
const withIds = (given: Record<string, unknown>, ids: ReadonlyMap<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const prefix = typeof value === 'string' ? /^(\w+)_…$/.exec(value)?.[1] : undefined
      return [name, prefix === undefined ? value : ids.get(prefix)]
    }),
  )
