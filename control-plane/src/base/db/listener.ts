/**
 * Listens to a channel of Postgres on a separate connection, and reopens a connection that breaks or no longer answers.
 * A listener only receives, so without checks it would not notice a connection that a firewall or a dead server has
 * dropped.
 */
import { pause, type Logger } from '@phonerack/shared'
import pg from 'pg'

/** Milliseconds before the next attempt to connect. */
const reconnectMs = 1000
/** Milliseconds to wait for the connection's end. */
const closeMs = 1000
/** Milliseconds between two checks of the connection, and for the answer to a check. */
const checkMs = 5000

export class Listener {
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>

  /** @param onNotice called for each notification, and after each connect, since notifications may have been missed */
  constructor(
    private readonly databaseUrl: string,
    private readonly channel: 'phonerack_events',
    private readonly log: Logger,
    private readonly onNotice: () => void,
  ) {
    this.running = this.run()
  }

  /** Waits for the end of the connection, but does not wait for a connection that is being opened. */
  async close(): Promise<void> {
    this.stopping.abort()
    await Promise.race([this.running, pause(closeMs, new AbortController().signal)])
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted
  }

  private async run(): Promise<void> {
    while (!this.isStopping()) {
      await this.listenOnce().catch((error: unknown) =>
        this.log.warn({ err: error, channel: this.channel }, 'cannot listen to notifications of Postgres'),
      )
      if (!this.isStopping()) await pause(reconnectMs, this.stopping.signal)
    }
  }

  /** Resolves when the connection ends. @throws Error if Postgres does not answer */
  private async listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: 10_000,
      query_timeout: checkMs,
      keepAlive: true,
      application_name: 'phonerack-listener',
    })
    const ended = new AbortController()
    client.on('end', () => ended.abort())
    // The `end` event follows.
    client.on('error', () => ended.abort())
    client.on('notification', () => this.onNotice())
    const over = AbortSignal.any([ended.signal, this.stopping.signal])
    const isOver = (): boolean => over.aborted
    try {
      await client.connect()
      await client.query(`listen ${this.channel}`)
      this.onNotice()
      while (!isOver()) {
        await pause(checkMs, over)
        if (!isOver()) await client.query('select 1')
      }
    } finally {
      // The server may be gone.
      await Promise.race([client.end().catch(() => undefined), pause(closeMs, new AbortController().signal)])
    }
  }
}
