/** Messages over the broker. Everything outside `broker/` publishes and subscribes JSON through `Bus`. */
import {
  connect,
  credsAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node'
import { pause } from './abort.js'
import { brokerTls, type BrokerAuthorities } from './broker-tls.js'
import { type Logger } from './log.js'

interface Subscription {
  unsubscribe(): void
}

export interface Bus {
  /** Does not wait for delivery. A message is lost while the broker is unreachable. */
  publish(subject: string, message: unknown): void
  /** Calls `handler` with the parsed message; drops a message that is not valid JSON. */
  subscribe(subject: string, handler: (message: unknown, subject: string) => void): Subscription
  readonly connected: boolean
  /** Calls `listener` after each reconnect, and after the first connection if `openBus` returned before it. */
  onReconnect(listener: () => void): void
  close(): Promise<void>
}

interface BusOptions {
  url: string
  name: string
  /** Text of a `.creds` file; omitted: no credentials. */
  creds?: string | undefined
  /** Omitted: the authorities of Node.js. For `tls:` URLs. */
  authorities?: BrokerAuthorities
  /** Milliseconds after which `openBus` returns without a connection, which then begins in the background. */
  waitMs: number
  /** Called once when the first attempt fails, and once when a connection is lost: at most 15 s after the broker's last answer. */
  onLost?: (cause: unknown) => void
  /**
   * Called once when the connection to the broker is restored after `onLost`. @param awayMs milliseconds since `onLost`
   */
  onReturned?: (awayMs: number) => void
}

/** The log lines of a lost and a restored connection. @param consequence the functions that do not work in between */
export const logsOfLoss = (
  log: Logger,
  consequence: string,
): Required<Pick<BusOptions, 'onLost' | 'onReturned'>> => ({
  onLost: (error) => log.warn({ err: error }, `NATS is unavailable: until it returns, ${consequence}`),
  onReturned: (ms) => log.info({ away_ms: Math.round(ms) }, 'NATS is available again'),
})

/**
 * Milliseconds. `retry`: between two attempts, plus up to `jitter`, so that the clients of a broker that
 * returns do not connect at the same moment. `attempt`: Linux repeats the first packet after 1 and 3 s, then
 * more and more rarely, so a new attempt notices earlier that the network is back.
 */
const times = { retry: 250, jitter: 750, attempt: 5000, ping: 5000 }

/** Connects and retries for ever: an unreachable broker delays messages and never ends a process. */
export async function openBus(options: BusOptions): Promise<Bus> {
  const closing = new AbortController()
  const starts = new Set<(connection: NatsConnection) => void>()
  const listeners = new Set<() => void>()
  let connection: NatsConnection | null = null
  let lostAt: number | null = null
  const lost = (cause: unknown): void => {
    if (lostAt !== null || closing.signal.aborted) return
    lostAt = performance.now()
    options.onLost?.(cause)
  }
  const returned = (): void => {
    const since = lostAt
    lostAt = null
    if (since !== null) options.onReturned?.(performance.now() - since)
    for (const listener of listeners) listener()
  }

  /** Ends when the bus is closed. */
  async function follow(first: Promise<NatsConnection | null>): Promise<void> {
    let made = await first
    while (made !== null) {
      connection = made
      const statuses = made.status()
      for (const start of starts) start(made)
      returned()
      for await (const { type } of statuses) {
        if (type === 'disconnect') lost(new Error('the connection to the broker was lost'))
        if (type === 'reconnect') returned()
      }
      // The client has stopped reconnecting.
      connection = null
      lost(new Error('the connection to the broker was closed'))
      made = await connectUntil(options, closing.signal, lost)
    }
  }

  const first = connectUntil(options, closing.signal, lost)
  void follow(first)
  const waiting = new AbortController()
  await Promise.race([first, pause(options.waitMs, waiting.signal)])
  waiting.abort()

  const encoder = new TextEncoder()
  const isConnected = (): boolean => connection !== null && lostAt === null && !connection.isClosed()
  return {
    publish(subject, message) {
      if (isConnected()) connection?.publish(subject, encoder.encode(JSON.stringify(message)))
    },
    subscribe(subject, handler) {
      let running: Subscription | null = null
      const start = (to: NatsConnection): void => {
        running = to.subscribe(subject, {
          callback: (error, message) => {
            if (error) return
            let parsed: unknown
            try {
              parsed = message.json()
            } catch (cause) {
              if (cause instanceof Error) return
              throw cause
            }
            handler(parsed, message.subject)
          },
        })
      }
      starts.add(start)
      if (connection !== null) start(connection)
      return {
        unsubscribe() {
          starts.delete(start)
          running?.unsubscribe()
        },
      }
    },
    get connected() {
      return isConnected()
    },
    onReconnect(listener) {
      listeners.add(listener)
    },
    async close() {
      closing.abort()
      await connection?.close()
    },
  }
}

/** Null when `closing` aborted first. */
async function connectUntil(
  options: BusOptions,
  closing: AbortSignal,
  onFailed: (cause: unknown) => void,
): Promise<NatsConnection | null> {
  const { url, name, creds } = options
  const settings: ConnectionOptions = {
    servers: url,
    name,
    maxReconnectAttempts: -1,
    // The broker may later accept a user that it refuses now, for example after a restore of its store.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler() {
      // The client has no other way to stop attempts before the first connection.
      closing.throwIfAborted()
      return times.retry + Math.random() * times.jitter
    },
    timeout: times.attempt,
    pingInterval: times.ping,
    ...brokerTls(url, options.authorities ?? null),
    ...(creds ? { authenticator: credsAuthenticator(new TextEncoder().encode(creds)) } : {}),
  }
  const isOver = (): boolean => closing.aborted
  for (let isFirst = true; !isOver(); isFirst = false) {
    try {
      // A client with `waitOnFirstConnect` drops the socket of a slow attempt, and does not report why the attempt
      // failed.
      const connection = await connect({ ...settings, waitOnFirstConnect: !isFirst })
      if (!isOver()) return connection
      await connection.close()
    } catch (error) {
      onFailed(error)
      await pause(times.retry, closing)
    }
  }
  return null
}
