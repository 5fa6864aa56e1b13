/** A client of the UiAutomator2 server in a test's Android, over the phone's port. */
import { request } from 'node:http'
import { readFileSync } from 'node:fs'
import { elementKey } from '../uiautomator/body.js'
import { nodeStream } from '../uiautomator/http.js'
import { serverAddress } from '../uiautomator/server.js'
import { appiumApks } from './appium-apks.js'
import type { Result, TestAndroid } from './test-android.js'

export interface Reply {
  status: number
  sessionId: string | null
  // Sends a request and accepts any response, since each test checks its expectation.
  value: unknown
}

export interface Uia2 {
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** Sends a request below `/session/ID` and returns its value. @throws for an error response */
  value(method: string, path: string, body?: unknown): Promise<unknown>
  /** Returns the ID of the first match. */
  find(strategy: string, selector: string, context?: string): Promise<string>
  findAll(strategy: string, selector: string, context?: string): Promise<string[]>
  /** Ends the session, which ends the server. */
  quit(): Promise<Result>
}

export const instrumentation = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner'

export async function installApk(phone: TestAndroid, path: string): Promise<void> {
  const apk = readFileSync(path)
  const { out, err } = await phone.run(`pm install -r -g -S ${apk.length}`, apk)
  if (out !== 'Success\n') throw new Error(`${path}: ${out}${err}`)
}

/** Starts the server and a session, with the real APKs installed. */
export async function startUia2(phone: TestAndroid, capabilities: object = {}): Promise<Uia2> {
  for (const path of [appiumApks.server, appiumApks.serverTest])
    if (!phone.android.installed.find(packageOf(path))) await installApk(phone, path)
  const command = phone.run(`am instrument -w -e disableAnalytics true ${instrumentation}`)
  while (!phone.android.sockets.has(serverAddress)) await new Promise((resolve) => setImmediate(resolve))
  const { sessionId } = await call(phone, 'POST', '/session', {
    capabilities: { firstMatch: [capabilities], alwaysMatch: {} },
  })
  const base = `/session/${sessionId ?? ''}`
  const value = async (method: string, path: string, body?: unknown) => {
    const reply = await call(phone, method, base + path, body)
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.value))
    return reply.value
  }
  const idOf = (element: unknown) => (element as Record<string, string>)[elementKey] ?? ''
  return {
    call: (method, path, body) => call(phone, method, path.replace(/^\$/, base), body),
    value,
    find: async (strategy, selector, context) =>
      idOf(await value('POST', '/element', { strategy, selector, context })),
    findAll: async (strategy, selector, context) =>
      ((await value('POST', '/elements', { strategy, selector, context })) as unknown[]).map(idOf),
    quit: async () => {
      await value('DELETE', '')
      return command
    },
  }
}

const packageOf = (path: string) =>
  path === appiumApks.server ? 'io.appium.uiautomator2.server' : 'io.appium.uiautomator2.server.test'

export async function call(phone: TestAndroid, method: string, path: string, body?: unknown): Promise<Reply> {
  const stream = nodeStream(await phone.android.sockets.connect(serverAddress))
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const [status, answer] = await new Promise<[number, string]>((resolve, reject) => {
    const outgoing = request(
      { method, path, createConnection: () => stream, headers: { connection: 'close' } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString()]))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(text)
  })
  return { status, ...(JSON.parse(answer) as Omit<Reply, 'status'>) }
}
