/**
 * The UiAutomator2 server of Appium as its clients see it: HTTP and JSON on the phone's port 6790, one session. The
 * routes and responses of appium-uiautomator2-server 10.6 are implemented here; the server's own code does not run.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Android } from '../android/android.js'
import { isObject, needed, objectIn } from './body.js'
import { deviceCommands } from './device-commands.js'
import { elementCommands, type Command } from './element-commands.js'
import { invalidArgument, ServerError } from './errors.js'
import { gestureCommands } from './gesture-commands.js'
import { Gestures } from './gestures.js'
import { serveHttp } from './http.js'
import { launchable } from './installed.js'
import { findRoute, routesOf, type Call } from './routes.js'
import { Screen } from './screen.js'
import { Session, type JsonObject } from './session.js'

export const serverAddress = 'tcp:6790'
/** The server's message when there is no session. */
const noSession = 'None'
/** The limit is large enough for the text of a whole page. */
const maxBodyBytes = 16 * 1024 * 1024
/** Time to send the response to `DELETE /session/…`. */
const farewellMs = 15

export interface ServerOptions {
  android: Android
  /** Stops the server. */
  signal: AbortSignal
  /** Version of the installed APK. */
  version: { name: string; code: number }
}

type Answer = { sessionId: string | null; value: unknown }

/** Runs until its session is deleted or `signal` aborts. @throws AddressInUse */
export async function runServer(options: ServerOptions): Promise<void> {
  const server = new UiAutomator2Server(options)
  const http = serveHttp(options.android.sockets, serverAddress, (request, response) => {
    answer(server, request, response).catch((error: unknown) =>
      options.android.fault(error, 'UiAutomator2 server'),
    )
  })
  try {
    await server.ended
  } finally {
    http.close()
  }
}

async function answer(
  server: UiAutomator2Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, body } = await server.handle(request.method ?? '', request.url ?? '', () =>
    readBody(request),
  )
  const text = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': text.length,
    pragma: 'no-cache',
    'cache-control': 'no-store',
  })
  response.end(text)
}

/** @throws ServerError when the body is not a JSON object */
async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBodyBytes) throw invalidArgument('The request is too large')
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString()
  if (text.trim() === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body)) return body
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw invalidArgument('The request body is not a valid JSON object')
}

const sessionRoutes = routesOf<Command>({ ...elementCommands, ...gestureCommands, ...deviceCommands })

class UiAutomator2Server {
  readonly ended: Promise<void>
  private end: () => void = () => undefined
  private screen: Screen | null = null
  private readonly gestures: Gestures

  constructor(private readonly options: ServerOptions) {
    this.ended = new Promise((resolve) => (this.end = resolve))
    if (options.signal.aborted) this.end()
    options.signal.addEventListener('abort', () => this.end(), { once: true })
    this.gestures = new Gestures(options.android.world, options.signal)
  }

  /** Never throws: errors become responses. */
  async handle(
    method: string,
    url: string,
    readBody: () => Promise<JsonObject>,
  ): Promise<{ status: number; body: Answer }> {
    let sessionId: string | null = /^(?:\/wd\/hub)?\/session\/([^/?]+)/.exec(url)?.[1] ?? null
    try {
      const own = findRoute(this.ownRoutes, method, url)
      if (own !== null) {
        this.count(own.name)
        const answer = await own.handler({ path: own.path, body: await readBody() })
        return { status: 200, body: answer }
      }
      const found = findRoute(sessionRoutes, method, url)
      if (found === null) {
        sessionId = null
        throw new ServerError(
          'unknown command',
          'The requested resource could not be found, or a request was received using an HTTP method that is not supported by the mapped resource',
        )
      }
      this.count(found.name)
      const screen = this.sessionScreen(sessionId)
      const value = await found.handler(screen, { path: found.path, body: await readBody() })
      return { status: 200, body: { sessionId, value: value ?? null } }
    } catch (error) {
      return failure(error, sessionId)
    }
  }

  private count(route: string): void {
    if (!route.startsWith('GET ')) this.options.android.counters.countIn('uiServer', route)
  }

  private readonly ownRoutes = routesOf<(call: Call) => Answer | Promise<Answer>>({
    'GET /status': () => ({
      sessionId: noSession,
      value: {
        ready: true,
        message: 'UiAutomator2 Server is ready to accept commands',
        build: { version: this.options.version.name, versionCode: this.options.version.code },
      },
    }),
    'GET /sessions': () => ({
      sessionId: noSession,
      value:
        this.screen === null ? [] : [{ id: this.screen.session.id, ...this.described(this.screen.session) }],
    }),
    'GET /appium/device/apps': () => ({ sessionId: noSession, value: launchable(this.options.android) }),
    'POST /session': ({ body }) => this.newSession(body),
    'DELETE /session/:sessionId': ({ path }) => this.deleteSession(path['sessionId'] ?? ''),
  })

  private newSession(body: JsonObject): Answer {
    try {
      const session = new Session(capabilitiesOf(body))
      this.screen = new Screen(this.options.android, session, this.gestures)
      return { sessionId: session.id, value: { sessionId: session.id, capabilities: body['capabilities'] } }
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      throw new ServerError('session not created', error.message)
    }
  }

  private deleteSession(id: string): Answer {
    this.sessionScreen(id)
    this.screen = null
    void this.gestures.wait(farewellMs).then(() => this.end())
    return { sessionId: id, value: null }
  }

  private described({ id, capabilities }: Session): { sessionId: string; capabilities: JsonObject } {
    return { sessionId: id, capabilities }
  }

  private sessionScreen(id: string | null): Screen {
    if (this.screen === null || this.screen.session.id !== id)
      throw new ServerError('invalid session id', `The session identified by ${id ?? 'null'} is not known`)
    return this.screen
  }
}

/**
 * Returns `alwaysMatch`, merged with the first of `firstMatch` that does not contradict it, without the
 * prefix `appium:`.
 * @throws ServerError
 */
function capabilitiesOf(body: JsonObject): JsonObject {
  const capabilities = needed(objectIn(body, 'capabilities'), 'capabilities')
  const plain = (caps: JsonObject) =>
    Object.fromEntries(Object.entries(caps).map(([name, value]) => [name.replace(/^appium:/, ''), value]))
  const always = plain(objectIn(capabilities, 'alwaysMatch') ?? {})
  const first = capabilities['firstMatch']
  const choices = Array.isArray(first) && first.length > 0 ? first.filter(isObject).map(plain) : [{}]
  const fitting = choices.find((choice) => Object.keys(choice).every((name) => !(name in always)))
  if (fitting === undefined) throw invalidArgument('Could not find matching capabilities')
  return { ...always, ...fitting }
}

function failure(error: unknown, sessionId: string | null): { status: number; body: Answer } {
  const known = error instanceof ServerError ? error : null
  const message = error instanceof Error ? error.message : String(error)
  const stacktrace = error instanceof Error ? (error.stack ?? message) : message
  return {
    status: known?.httpStatus ?? 500,
    body: { sessionId, value: { error: known?.code ?? 'unknown error', message, stacktrace } },
  }
}
