/** Clients of /mcp that use the newest revision of the protocol, and the size of the list of tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, inject, test } from 'vitest'
import { mcpTasks } from './mcp-tasks.js'
import { newKey, newTenant, readyPhone } from './system/tenant.js'
import { sizeOf, textOf } from './system/tool-texts.js'

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

test('tools return only changes after a snapshot, whose refs lead to the same elements after a scroll [45.4, 45.12]', async () => {
  const system = inject('system')
  const { admin } = await newTenant(system)
  const { id } = await readyPhone(admin)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(system.up.mcp_url), {
      requestInit: { headers: { authorization: `Bearer ${admin.key}` } },
    }),
  )
  const call = async (name: string, args: object): Promise<string> =>
    textOf(await client.callTool({ name, arguments: { phone_id: id, ...args } }))
  const snapshotOf = (text: string): string => /snapshot_id (snp_\w+)/.exec(text)?.[1] ?? ''
  /** The ref and the centre of a contact in the list. */
  const place = (text: string, name: string): string[] =>
    new RegExp(`^(?:\\+ )?\\[(\\d+)\\] \\w+ "${name}.*\\((\\d+),(\\d+)\\)$`, 'm').exec(text)?.slice(1) ?? []
  try {
    const actions = [{ type: 'open_app', package: 'com.android.contacts' }]
    const first = await call('act', { actions })
    const names = [...first.matchAll(/^\[\d+\] \w+ "([^",]+)"/gm)].map(([, name]) => name ?? '')
    const since = snapshotOf(first)
    const same = await call('observe', { since })
    expect(same).toContain(`same as ${since}`)
    const scroll = [{ type: 'scroll', direction: 'down', amount: 0.3 }]
    const scrolled = await call('act', { actions: scroll, since: snapshotOf(same) })
    expect(scrolled).toMatch(/\nkept \d+$/)
    expect(scrolled.length).toBeLessThan(first.length)
    // A contact of the first screen is now higher, under the same number.
    const name = names[Math.floor(names.length * 0.6)] ?? ''
    const [ref = '', x, y] = place(first, name)
    const whole = await call('observe', {})
    const now = place(whole, name)
    expect([now[0], now[1]]).toEqual([ref, x])
    expect(Number(now[2])).toBeLessThan(Number(y))
    const tap = [{ type: 'tap', target: { ref: Number(ref), snapshot_id: since } }]
    const opened = await call('act', { actions: tap, since: snapshotOf(whole) })
    expect(opened).toContain('whole screen')
    expect(opened).toContain(`"${name}" #large_title`)
  } finally {
    await client.close()
  }
})
