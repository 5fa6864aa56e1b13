/**
 * A task from rent to park over /mcp: by a client that sees only structured content, and by a client that
 * sees only text.
 */
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { newKey, newTenant, saysNoneFree, untilFree } from './system/tenant.js'
import { textOf } from './system/tool-texts.js'

/** The part of a result that a client shows its model. */
interface View {
  phoneId(result: CallToolResult): string
  status(result: CallToolResult): string
  snapshotId(result: CallToolResult): string
  screen(result: CallToolResult): string
}

type Fields = Record<string, unknown> & { observation?: Fields }
const structured = (result: CallToolResult): Fields => result.structuredContent as Fields
const screenOf = (result: CallToolResult): Fields => structured(result).observation ?? structured(result)
const inText = (result: CallToolResult, pattern: RegExp): string => {
  const found = pattern.exec(textOf(result))?.[1]
  if (found === undefined) throw new Error(`${pattern} is not in ${textOf(result)}`)
  return found
}

const views: Record<string, View> = {
  'structured content': {
    phoneId: (result) => String(structured(result)['id']),
    status: (result) => String(structured(result)['status']),
    snapshotId: (result) => String(screenOf(result)['snapshot_id']),
    screen: (result) => String(screenOf(result)['text']),
  },
  text: {
    phoneId: (result) => inText(result, /^phone (ph_\w+) is/m),
    status: (result) => inText(result, /^phone ph_\w+ is (\w+)/m),
    snapshotId: (result) => inText(result, /snapshot_id (snp_\w+)/),
    screen: textOf,
  },
}

/** Returns the ref of the first element whose line matches. */
function refOf(screen: string, line: RegExp): number {
  const found = screen.split('\n').find((each) => line.test(each))
  if (found === undefined) throw new Error(`${line} is not on the screen:\n${screen}`)
  return Number(/^\[(\d+)\]/.exec(found)?.[1])
}

/** @param era the revision of the protocol that the client uses */
export function mcpTasks(era: '2026-07-28' | 'legacy'): void {
  describe.each(Object.entries(views))('a client that sees only %s', (name, view) => {
    const clients: Client[] = []
    afterAll(async () => {
      for (const client of clients) await client.close()
    })

    test(`rents a phone, writes a note and parks it (${era}) [40.38]`, async () => {
      const system = inject('system')
      const { projectId } = await newTenant(system)
      const key = await newKey(system, projectId, 'admin')
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: era === 'legacy' ? era : { pin: era } } },
      )
      clients.push(client)
      expect(system.up.mcp_url).toBe(`${system.up.base_url}/mcp`)
      const transport = new StreamableHTTPClientTransport(new URL(system.up.mcp_url), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      })
      await client.connect(transport)
      const call = (tool: string, args: Record<string, unknown>): Promise<CallToolResult> =>
        client.callTool({ name: tool, arguments: args })

      const created = await untilFree(
        () => call('create_phone', { name: `for ${name}` }),
        ({ isError, content }) => isError === true && saysNoneFree(JSON.stringify(content)),
      )
      const phone_id = view.phoneId(created)
      expect(view.status(created)).toBe('ready')
      try {
        const home = await call('observe', { phone_id })
        expect(view.screen(home)).toContain('app com.android.launcher3')

        const open = { type: 'open_app', package: 'com.phonerack.notes' }
        const opened = await call('act', {
          phone_id,
          actions: [open, { type: 'wait_for', target: { desc: 'New note' } }],
        })
        const target = { ref: refOf(view.screen(opened), /New note/), snapshot_id: view.snapshotId(opened) }
        const edited = await call('act', {
          phone_id,
          actions: [{ type: 'tap', target }, { type: 'wait_idle' }],
        })
        const title = { ref: refOf(view.screen(edited), /"Title"/), snapshot_id: view.snapshotId(edited) }
        const typed = await call('act', {
          phone_id,
          actions: [{ type: 'type', target: title, text: 'Grüße "1"' }],
        })
        expect(typed.isError).toBeFalsy()
        expect(view.screen(typed)).toContain('Grüße \\"1\\"')

        const missed = await call('act', {
          phone_id,
          actions: [{ type: 'tap', target: { text: 'Nowhere' } }],
        })
        expect(missed.isError).toBe(true)
        expect(JSON.stringify(name === 'text' ? missed.content : missed.structuredContent)).toContain(
          'target_not_found',
        )

        const shot = await call('observe', { phone_id, screenshot: true })
        const image = shot.content.find((block) => block.type === 'image')
        expect(image).toMatchObject({ type: 'image', mimeType: 'image/jpeg' })
        const bytes = Buffer.from(image?.type === 'image' ? image.data : '', 'base64')
        expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff])

        expect(view.status(await call('park_phone', { phone_id }))).toBe('parked')
      } finally {
        await call('delete_phone', { phone_id })
      }
    }, 180_000)
  })
}
