/**
 * The only module that knows the broker's client. Everything else publishes
 * and subscribes JSON through `Bus`.
 */
import { connect, credsAuthenticator, type ConnectionOptions, type NatsConnection } from 'nats'
import { pause } from './abort.js'
import { brokerTls, type BrokerAuthorities } from './broker-tls.js'

export interface Subscription {
  unsubscribe(): void
}

export interface Bus {
  /** Fire and forget; lost while the broker is unreachable. */
  publish(subject: string, message: unknown): void
  /** Calls `handler` with the parsed message; drops a message that is not valid JSON. */
  subscribe(subject: string, handler: (message: unknown, subject: string) => void): Subscription
  readonly connected: boolean
  /** Calls `listener` after each reconnect. */
  onReconnect(listener: () => void): void
  close(): Promise<void>
}

export interface BusOptions {
  url: string
  name: string
  /** Text of a `.creds` file; omitted: no credentials. */
  creds?: string | undefined
  /** Omitted: Node's. For `tls:` URLs. */
  authorities?: BrokerAuthorities
}

/** Connects and retries for ever: an unreachable broker delays messages and never ends a process. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  return wrap(await connect({ ...settingsOf(options), waitOnFirstConnect: true }))
}

/** Milliseconds between two tries to connect. */
const retryMs = 250

function settingsOf(options: BusOptions): ConnectionOptions {
  return {
    servers: options.url,
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    timeout: 5000,
    pingInterval: 5000,
    ...brokerTls(options.url, options.authorities ?? null),
    ...(options.creds ? { authenticator: credsAuthenticator(new TextEncoder().encode(options.creds)) } : {}),
  }
}

/** A subscription that starts with the connection. */
interface Early extends Subscription {
  begin(bus: Bus): void
}

/**
 * Like `connectBus`, but returns after `waitMs` milliseconds even if the broker is unreachable; it then
 * connects in the background. Subscriptions start with the connection, and listeners of `onReconnect` are
 * called as after a break.
 * @param onAway called once, with the reason, when the first attempt fails
 */
export async function openBus(
  options: BusOptions,
  { waitMs, onAway }: { waitMs: number; onAway: (cause: unknown) => void },
): Promise<Bus> {
  const closing = new AbortController()
  const early = new Set<Early>()
  const listeners = new Set<() => void>()
  const made: { bus: Bus | null; isLate: boolean } = { bus: null, isLate: false }
  const connecting = connectUntil(settingsOf(options), closing.signal, onAway).then((bus) => {
    made.bus = bus
    if (!bus) return
    for (const each of early) each.begin(bus)
    for (const listener of listeners) bus.onReconnect(listener)
    if (made.isLate) for (const listener of listeners) listener()
  })
  const waiting = new AbortController()
  await Promise.race([connecting, pause(waitMs, waiting.signal)])
  waiting.abort()
  if (made.bus) return made.bus
  made.isLate = true
  return {
    publish: (subject, message) => made.bus?.publish(subject, message),
    subscribe(subject, handler) {
      if (made.bus) return made.bus.subscribe(subject, handler)
      let begun: Subscription | null = null
      const each: Early = {
        begin: (bus) => (begun = bus.subscribe(subject, handler)),
        unsubscribe() {
          early.delete(each)
          begun?.unsubscribe()
        },
      }
      early.add(each)
      return each
    },
    get connected() {
      return made.bus?.connected ?? false
    },
    onReconnect(listener) {
      listeners.add(listener)
      made.bus?.onReconnect(listener)
    },
    async close() {
      closing.abort()
      await made.bus?.close()
    },
  }
}

/** Null when `signal` aborted first. */
async function connectUntil(
  settings: ConnectionOptions,
  signal: AbortSignal,
  onAway: (cause: unknown) => void,
): Promise<Bus | null> {
  const isOver = (): boolean => signal.aborted
  for (let tries = 1; !isOver(); tries += 1) {
    try {
      // Not `waitOnFirstConnect`, which cannot be cancelled.
      const connection = await connect(settings)
      if (!isOver()) return wrap(connection)
      await connection.close()
    } catch (error) {
      if (tries === 1) onAway(error)
      await pause(retryMs, signal)
    }
  }
  return null
}

function wrap(connection: NatsConnection): Bus {
  const listeners = new Set<() => void>()
  let connected = true
  void (async () => {
    for await (const status of connection.status()) {
      const type: string = status.type
      if (type === 'disconnect') connected = false
      if (type === 'reconnect') {
        connected = true
        for (const listener of listeners) listener()
      }
    }
  })()
  const encoder = new TextEncoder()
  return {
    publish(subject, message) {
      if (!connection.isClosed()) connection.publish(subject, encoder.encode(JSON.stringify(message)))
    },
    subscribe(subject, handler) {
      return connection.subscribe(subject, {
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
    },
    get connected() {
      return connected && !connection.isClosed()
    },
    onReconnect(listener) {
      listeners.add(listener)
    },
    async close() {
      await connection.close()
    },
  }
}
