/**
 * The only module that knows the broker's client. Everything else publishes
 * and subscribes JSON through `Bus`.
 */
import { connect, credsAuthenticator, type ConnectionOptions, type NatsConnection } from 'nats'

export interface Subscription {
  unsubscribe(): void
}

export interface Bus {
  /** Fire and forget; lost while the broker is away. */
  publish(subject: string, message: unknown): void
  /** Calls `handler` with the parsed message; a message that is no JSON is dropped. */
  subscribe(subject: string, handler: (message: unknown, subject: string) => void): Subscription
  readonly connected: boolean
  /** Calls `listener` each time the connection is made again after a break. */
  onReconnect(listener: () => void): void
  close(): Promise<void>
}

export interface BusOptions {
  url: string
  name: string
  /** Text of a `.creds` file; left out: no credentials. */
  creds?: string | undefined
}

/** Connects, and keeps connecting for ever: a broker that is away delays messages and never ends a process. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const settings: ConnectionOptions = {
    servers: options.url,
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    timeout: 5000,
    pingInterval: 5000,
  }
  if (options.creds) settings.authenticator = credsAuthenticator(new TextEncoder().encode(options.creds))
  return wrap(await connect(settings))
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
