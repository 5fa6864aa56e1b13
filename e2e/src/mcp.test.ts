/** Clients of /mcp that use the newest revision of the protocol, and the size of the list of tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, inject, test } from 'vitest'
import { mcpTasks } from './mcp-tasks.js'
import { newKey, newTenant } from './system/tenant.js'
import { sizeOf } from './system/tool-texts.js'

mcpTasks('2026-07-28')

test('the list of tools has fewer than 30,000 characters and 6,000 tokens', async () => {
  const system = inject('system')
  const { projectId } = await newTenant(system)
  const key = await newKey(system, projectId, 'read-only')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(system.up.mcp_url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  try {
    const size = sizeOf((await client.listTools()).tools)
    expect(size.tools).toBe(29)
    expect(size.characters).toBeLessThan(30_000)
    expect(size.tokens).toBeLessThan(6000)
  } finally {
    await client.close()
  }
})
