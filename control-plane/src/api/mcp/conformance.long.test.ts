/** The official conformance suite against `/mcp`, through a proxy that adds the key, in the current revision and two of 2025. */
import { z } from 'zod'
import path from 'node:path'
import { tmpdir } from 'node:os'
import { createRequire } from 'node:module'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer, request as send } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { listen } from '../../testing/mcp-client.js'

/** Adds an API key to each request, since the suite cannot send one. */
interface KeyProxy {
  origin: string
  /** From now on, requests go to this base address with this key. */
  forward(baseUrl: string, key: string): void
  close(): Promise<void>
}

async function startKeyProxy(): Promise<KeyProxy> {
  let target: { baseUrl: string; authorization: string } | null = null
  const server = createServer((request, response) => {
    if (target === null) return void response.writeHead(503).end()
    const { method, headers, url = '' } = request
    const sent = send(new URL(url, target.baseUrl), {
      method,
      headers: { ...headers, authorization: target.authorization },
    })
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.once('error', () => response.destroy())
    response.once('close', () => sent.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forward: (baseUrl, key) => (target = { baseUrl, authorization: `Bearer ${key}` }),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const checkSchema = z.object({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
})
type Check = z.infer<typeof checkSchema>

/** Milliseconds for all scenarios of a revision. */
const limitMs = 300_000

/**
 * The suite imports `globSync`, which Node.js 20 lacks and no scenario of a server calls. A loader gives it `node:fs` with a
 * `globSync` that throws.
 */
const loader = asModule(`
  import { register } from 'node:module'
  register(${JSON.stringify(
    asModule(`
      const files = ${JSON.stringify(
        asModule(`
          export * from 'node:fs'
          export { default } from 'node:fs'
          export const globSync = () => { throw new Error('globSync needs Node.js 22') }
        `),
      )}
      export const resolve = (name, context, next) =>
        name === 'fs' && context.parentURL.includes('/@modelcontextprotocol/conformance/')
          ? { url: files, shortCircuit: true }
          : next(name, context)
    `),
  )})
`)

function asModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

/** The checks of each scenario of a revision. @param url address of the endpoint */
async function runConformance(url: string, revision: string): Promise<Map<string, Check[]>> {
  const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-conformance-'))
  try {
    await run([
      ...['--import', loader, program, 'server', '--url', url, '--suite', 'all'],
      ...['--spec-version', revision, '--timeout', '60000', '-o', folder],
    ])
    const scenarios = new Map<string, Check[]>()
    for (const entry of await readdir(folder)) {
      const name = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1]
      if (name === undefined) throw new Error(`${entry} is not the folder of a scenario`)
      const text = await readFile(path.join(folder, entry, 'checks.json'), 'utf8')
      scenarios.set(name, z.array(checkSchema).parse(JSON.parse(text)))
    }
    return scenarios
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A failed check makes the exit code 1. */
function run(args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: limitMs, maxBuffer: 10_000_000 }, (error, out, errors) => {
      if (error === null || error.code === 1) resolve()
      else reject(new Error(`${error.message}\n${out}\n${errors}`))
    })
  })
}

let api: TestApi
let proxy: KeyProxy
beforeAll(async () => {
  proxy = await startKeyProxy()
  api = await startApi({ http: { mcpOrigins: [proxy.origin] } })
  proxy.forward(await listen(api.app), api.key)
})
afterAll(async () => {
  await proxy.close()
  await api.close()
})

/** Scenarios of optional features that `/mcp` does not offer, and of tools that only the suite's own example server has. */
const absent =
  /^(completion|elicitation|http-custom-header|input-required-result|json-schema|logging|prompts|resources|sep-2164|server-session|server-sse-polling|tools-call)(-|$)/
/** Checks of such features within other scenarios. */
const absentChecks = [
  // Tools of the example server.
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  // Subscriptions: no list changes while a server runs.
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
  // Sessions.
  'server-sse-multiple-streams-session',
  // Prompts and resources.
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
]

/** Scenarios with a check that passed, among the scenarios of each revision for a server with tools. */
const proven = {
  '2026-07-28': [
    ...['caching', 'dns-rebinding-protection', 'http-header-validation'],
    ...['server-sse-multiple-streams', 'server-stateless', 'tools-list'],
  ],
  '2025-11-25': ['dns-rebinding-protection', 'ping', 'server-initialize', 'tools-list'],
  '2025-06-18': ['ping', 'server-initialize', 'tools-list'],
}

it.each(Object.entries(proven))(
  'passes each check for servers with tools in revision %s',
  async (revision, names) => {
    const scenarios = await runConformance(`${proxy.origin}/mcp`, revision)
    const ours = [...scenarios].filter(([name]) => !absent.test(name))
    const passed = ours.filter(([, checks]) => checks.some(({ status }) => status === 'SUCCESS'))
    expect(passed.map(([name]) => name).toSorted()).toEqual(names)
    const isBad = ({ id, status }: Check): boolean =>
      (status === 'FAILURE' || status === 'WARNING') && !absentChecks.includes(id)
    expect(
      ours.flatMap(([name, checks]) => checks.filter(isBad).map((check) => ({ name, ...check }))),
    ).toEqual([])
  },
)
