/**
 * HTTP requests to the UI server, over adb's stream to the phone's port, so that this host opens no port for the
 * requests. Used by `session.ts`. Protocol: W3C WebDriver responses, `{value}` or `{value: {error, message}}`.
 */
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { z } from 'zod'
import { AdbRefused } from '../../adb/errors.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone } from '../../adb/device/device.js'
import { redactOutput } from '../../base/redact.js'

/** The server's fixed port on the phone. */
const serverPort = 6790
/** Maximum bytes of one response. A screen of 1,500 nodes has about 1 MB. */
const answerLimit = 32 << 20

/** Nothing answers at the port, or the connection broke before the response was complete. */
export class UiServerDown extends Error {
  constructor(cause?: unknown) {
    super('the UI server does not respond', cause === undefined ? undefined : { cause })
    this.name = 'UiServerDown'
  }
}

/** The server answered that it did not carry out the request. */
export class UiServerRefused extends Error {
  constructor(
    /** WebDriver's error, such as `no such element`. */
    readonly code: string,
    message: string,
  ) {
    super(`the UI server refused: ${redactOutput(`${code}: ${message}`)}`)
    this.name = 'UiServerRefused'
  }
}

const answerSchema = z.object({ value: z.unknown(), sessionId: z.string().nullish() })
const errorSchema = z.object({ error: z.string(), message: z.string().default('') })

interface UiAnswer {
  value: unknown
  sessionId: string | null
}

interface UiRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: Readonly<Record<string, unknown>>
}

/** Events that an idle stream should not have. */
const events = ['data', 'end', 'close', 'error'] as const

/**
 * A stream to the server that stays open between reads, since adb and the phone take longer to open a stream
 * than to carry a request. For reads only: a stream that broke while idle is noticed only when a request
 * fails and is repeated.
 */
export class KeptStream {
  #idle: Socket | null = null

  /** Hands the idle stream over to the caller, if the stream is still usable. */
  take(): Socket | null {
    const stream = this.#idle
    this.#idle = null
    for (const event of events) stream?.off(event, this.#drop)
    return stream !== null && stream.writable && !stream.destroyed ? stream : null
  }

  keep(stream: Socket): void {
    this.close()
    // Unrequested data belongs to no request.
    for (const event of events) stream.on(event, this.#drop)
    this.#idle = stream
  }

  close(): void {
    const stream = this.#idle
    this.#idle = null
    // The listeners stay, because an error while the stream is destroyed must not end the agent.
    stream?.destroy()
  }

  readonly #drop = (): void => this.close()
}

/**
 * @param kept for a request that only reads
 * @throws UiServerDown, UiServerRefused, DeviceGone, DeadlineExceeded
 */
export async function ask(
  transport: Transport,
  what: UiRequest,
  progress: Progress,
  kept: KeptStream | null = null,
): Promise<UiAnswer> {
  const { status, body } = await exchange(transport, what, progress, kept)
  let answer: z.infer<typeof answerSchema>
  try {
    answer = answerSchema.parse(JSON.parse(body))
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error
    // Both errors are replaced, since they quote the response, which is the screen's content.
    throw new UiServerDown(
      new Error(`${body.length} characters that are not a valid response, status ${status}`),
    )
  }
  if (status === 200) return { value: answer.value, sessionId: answer.sessionId ?? null }
  const error = errorSchema.safeParse(answer.value)
  throw error.success
    ? new UiServerRefused(error.data.error, error.data.message)
    : new UiServerRefused('unknown error', `HTTP ${status}`)
}

interface Exchanged {
  status: number
  body: string
}

async function exchange(
  transport: Transport,
  what: UiRequest,
  progress: Progress,
  kept: KeptStream | null,
): Promise<Exchanged> {
  const idle = kept?.take() ?? null
  if (idle !== null) {
    try {
      return await send(idle, what, progress, kept)
    } catch (error) {
      if (!(error instanceof UiServerDown)) throw error
      // The stream may have broken while it was idle, so the next attempt opens a new stream.
    }
  }
  return send(await connect(transport, progress), what, progress, kept)
}

async function send(
  stream: Socket,
  { method, path, body }: UiRequest,
  progress: Progress,
  kept: KeptStream | null,
): Promise<Exchanged> {
  const content = body === undefined ? null : Buffer.from(JSON.stringify(body))
  const seen: { isWhole: boolean; onClose: (() => void) | null } = { isWhole: false, onClose: null }
  try {
    return await progress.race(
      `UI server ${method} ${path}`,
      (signal) =>
        new Promise<Exchanged>((resolve, reject) => {
          const headers =
            content === null
              ? {}
              : { 'content-type': 'application/json; charset=utf-8', 'content-length': content.length }
          const asked = request({
            method,
            path,
            headers: {
              ...headers,
              host: `127.0.0.1:${serverPort}`,
              connection: kept === null ? 'close' : 'keep-alive',
            },
            createConnection: () => stream,
            signal,
          })
          asked.on('error', reject)
          // A stream that ended before it was handed over is unusable.
          if (stream.destroyed || stream.readableEnded) reject(new Error('the stream has ended'))
          seen.onClose = () => reject(new Error('the stream was closed'))
          stream.once('close', seen.onClose)
          asked.on('response', (response) => {
            const parts: Buffer[] = []
            let total = 0
            response.on('data', (part: Buffer) => {
              total += part.length
              if (total > answerLimit) response.destroy(new Error(`more than ${answerLimit} bytes`))
              else parts.push(part)
            })
            response.on('error', reject)
            response.on('end', () => {
              seen.isWhole = response.complete && response.headers.connection !== 'close'
              resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') })
            })
          })
          asked.end(content ?? undefined)
        }),
    )
  } catch (error) {
    if (error instanceof DeadlineExceeded) throw error
    if (progress.expired) throw new DeadlineExceeded(`UI server ${method} ${path}`)
    throw new UiServerDown(error)
  } finally {
    if (seen.onClose) stream.off('close', seen.onClose)
    if (seen.isWhole && kept !== null && stream.writable && !stream.destroyed) kept.keep(stream)
    else stream.destroy()
  }
}

/** adb reports a port without a listener with the same error as a disconnected phone. */
async function connect(transport: Transport, progress: Progress) {
  try {
    return (await transport.connectTcp(serverPort, progress)).toStream()
  } catch (error) {
    const refusal = error instanceof DeviceGone ? error.cause : error
    if (refusal instanceof AdbRefused && /closed|refused|connect/i.test(refusal.answer))
      throw new UiServerDown(refusal)
    throw error
  }
}
