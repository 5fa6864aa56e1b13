/** `phonerack mcp`: the tools of /mcp over stdio. */
import path from 'node:path'
import { Client, type CallToolResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, inject, it } from 'vitest'
import { root } from './system/system.js'
import { newKey, newTenant, saysNoneFree, untilFree } from './system/tenant.js'

const program = path.join(root, 'clients/cli/dist/cli.js')

/** @param era the revision of the protocol that the client uses */
export function stdioTask(era: '2026-07-28' | 'legacy'): void {
  describe(`phonerack mcp (${era})`, () => {
    it('serves the tools of /mcp over stdio, from rent to park', async () => {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: era === 'legacy' ? era : { pin: era } } },
      )
      const system = inject('system')
      const { projectId } = await newTenant(system)
      const env = {
        PATH: process.env['PATH'] ?? '',
        // The program runs without a settings file.
        XDG_CONFIG_HOME: path.join(system.dir, 'none'),
        PHONERACK_BASE_URL: system.up.base_url,
        PHONERACK_API_KEY: await newKey(system, projectId, 'admin'),
      }
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }),
      )
      const call = (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
        client.callTool({ name, arguments: args })
      const fieldsOf = (result: CallToolResult): Record<string, unknown> => {
        expect(result.isError, JSON.stringify(result.content)).toBeFalsy()
        return result.structuredContent as Record<string, unknown>
      }
      try {
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['create_phone', 'observe', 'act', 'park_phone', 'delete_phone']),
        )
        const rented = await untilFree(
          () => call('create_phone', { name: 'stdio' }),
          ({ isError, content }) => isError === true && saysNoneFree(JSON.stringify(content)),
        )
        const phone_id = String(fieldsOf(rented)['id'])
        try {
          // A phone that needs longer than one call.
          if (fieldsOf(rented)['status'] !== 'ready') await call('get_phone', { phone_id, wait: 'ready' })
          expect(fieldsOf(await call('observe', { phone_id }))['text']).toContain('app com.android.launcher3')
          const open = { type: 'open_app', package: 'com.phonerack.notes' }
          const opened = await call('act', { phone_id, actions: [open] })
          expect(JSON.stringify(fieldsOf(opened))).toContain('com.phonerack.notes')
          expect(fieldsOf(await call('park_phone', { phone_id }))['status']).toBe('parked')
        } finally {
          await call('delete_phone', { phone_id })
        }
      } finally {
        await client.close()
      }
    })
  })
}
