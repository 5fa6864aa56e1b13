/** `phonerack mcp` as a process, with the official client over stdio. Needs the build. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMcpService, type McpService } from '../testing/mcp-service.js'
import { apiKey } from '../testing/service.js'

const program = path.join(import.meta.dirname, '..', '..', 'dist', 'cli.js')
/** The current revision, and two of 2025 with their handshake. */
const eras = ['2026-07-28', '2025-06-18', '2025-03-26'] as const
let service: McpService
let clients: Client[]
beforeEach(async () => {
  clients = []
  service = await startMcpService()
})
afterEach(async () => {
  for (const client of clients) await client.close()
  await service.close()
})

const envOf = (key: string | null): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  PHONERACK_BASE_URL: service.baseUrl,
  XDG_CONFIG_HOME: '/nonexistent',
  ...(key === null ? {} : { PHONERACK_API_KEY: key }),
})

/** @param more further arguments and environment variables of the program */
async function connect(
  era: (typeof eras)[number],
  more: { words?: string[]; env?: Record<string, string> } = {},
): Promise<Client> {
  const isCurrent = era === '2026-07-28'
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: isCurrent ? { pin: era } : 'legacy' },
      ...(isCurrent ? {} : { supportedProtocolVersions: [era] }),
    },
  )
  clients.push(client)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...(more.words ?? [])],
      env: { ...envOf(apiKey), ...more.env },
    }),
  )
  return client
}

it.each(eras)('lists and calls tools in revision %s, with the key as bearer', async (era) => {
  const client = await connect(era)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['echo', 'slow'])
  const text = 'Grüße \u001b[31m\u009b 👋'
  const called = await client.callTool({ name: 'echo', arguments: { text } })
  expect(called.structuredContent).toEqual({ text })
  for (const headers of service.seen)
    expect(headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'user-agent': expect.stringMatching(/^phonerack-cli\//) as string,
    })
  expect(service.seen.at(-1)?.['mcp-protocol-version']).toBe(era)
})

it.each<[string, string[], Record<string, string>, string | undefined]>([
  ['no profile', [], {}, undefined],
  ['the profile of --profile', ['--profile', 'read-only'], { PHONERACK_PROFILE: 'guarded' }, 'read-only'],
  ['the profile of PHONERACK_PROFILE', [], { PHONERACK_PROFILE: 'guarded' }, 'guarded'],
])('sends %s with each request', async (_name, words, env, profile) => {
  const client = await connect('2025-06-18', { words, env })
  await client.callTool({ name: 'echo', arguments: {} })
  expect(service.seen.length).toBeGreaterThan(1)
  for (const headers of service.seen) expect(headers['phonerack-profile']).toBe(profile)
})

it.each(eras)('passes progress, and aborts the request that is cancelled, in revision %s', async (era) => {
  const client = await connect(era)
  const stop = new AbortController()
  const progress: number[] = []
  const call = client.callTool(
    { name: 'slow' },
    {
      signal: stop.signal,
      onprogress: (report) => {
        progress.push(report.progress)
        stop.abort('no longer needed')
      },
    },
  )
  const other = client.callTool({ name: 'slow' }).catch((error: unknown) => error)
  await expect(call).rejects.toThrow()
  expect(progress).toEqual([5])
  await expect.poll(() => service.slow).toEqual({ running: 2, aborted: 1 })
  // The connection still works.
  expect((await client.callTool({ name: 'echo', arguments: { a: 1 } })).structuredContent).toEqual({ a: 1 })
  await client.close()
  expect(await other).toBeInstanceOf(Error)
  await expect.poll(() => service.slow.aborted).toBe(2)
})

it.each(eras)('answers with an error while the server does not run, in revision %s', async (era) => {
  const client = await connect(era)
  await service.close()
  // The first call may still use a connection that is being closed.
  let failure: unknown
  await expect
    .poll(async () => {
      failure = await client.callTool({ name: 'echo' }).catch((error: unknown) => error)
      return String(failure)
    })
    .toMatch(
      /No connection to http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*\. Nothing listens on this port: check the port/,
    )
  expect(failure).toMatchObject({ data: { error: { code: 'connection_failed', retryable: true } } })
})

it.each(eras)('continues after the server broke a connection, in revision %s', async (era) => {
  const client = await connect(era)
  service.instead = (request) => request.socket.destroy()
  await expect(client.callTool({ name: 'echo' })).rejects.toThrow('The tool may have run')
  service.instead = null
  expect((await client.callTool({ name: 'echo', arguments: { a: 2 } })).structuredContent).toEqual({ a: 2 })
})

function start(key: string | null) {
  const child = spawn(process.execPath, [program, 'mcp'], { env: envOf(key), stdio: 'pipe' })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, out, err }))
  return { child, ended, read: () => out }
}

const echo = (id: unknown, text: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } })}\n`

it('writes only JSON-RPC without raw control characters, and ends with stdin', async () => {
  const { child, ended, read } = start(apiKey)
  child.stdin.write(`not JSON\n${echo(0, 'a\u009b\u202e')}${echo('0', 'b')}`)
  await expect.poll(() => read().trim().split('\n').length).toBe(2)
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } })}\n`,
  )
  await expect.poll(() => service.slow.running).toBe(1)
  child.stdin.end()
  const { exitCode, out } = await ended
  expect(exitCode).toBe(0)
  const rows = out.trim().split('\n')
  expect(rows).toHaveLength(2)
  const answers = rows.map((row) => JSON.parse(row) as { id: unknown })
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([0, '0']))
  expect(out).toContain(String.raw`a\u009b\u202e`)
  await expect.poll(() => service.slow.aborted).toBe(1)
})

it('ends with 130 after Ctrl-C', async () => {
  const { child, ended, read } = start(apiKey)
  child.stdin.write(echo(1, 'a'))
  await expect.poll(read).not.toBe('')
  child.kill('SIGINT')
  expect((await ended).exitCode).toBe(130)
})

it('says how to sign in on stderr', async () => {
  const { exitCode, out, err } = await start(null).ended
  expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' })
  expect(err).toContain('phonerack login')
})
