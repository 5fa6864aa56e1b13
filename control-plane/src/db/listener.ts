/** Listens to a channel of Postgres on its own connection, which it opens again when it breaks. */
import { pause, type Logger } from '@phonerack/shared'
import pg from 'pg'

/** Milliseconds before the next attempt to connect. */
const reconnectMs = 1000
/** Milliseconds. */
const closeMs = 1000

export class Listener {
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>
  private end: (() => void) | null = null

  /** @param onNotice called for each notification, and after each connect, since some may have been missed */
  constructor(
    private readonly databaseUrl: string,
    private readonly channel: 'phonerack_events',
    private readonly log: Logger,
    private readonly onNotice: () => void,
  ) {
    this.running = this.run()
  }

  /** Waits for the end of the connection, but not for one that is being opened. */
  async close(): Promise<void> {
    this.stopping.abort()
    this.end?.()
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

  /** Resolves when the connection ends. */
  private async listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: 10_000,
      query_timeout: 25_000,
      keepAlive: true,
      application_name: 'phonerack-listener',
    })
    const ended = new Promise<void>((resolve) => {
      client.on('end', resolve)
      // Its `end` event follows.
      client.on('error', () => resolve())
      this.end = resolve
    })
    client.on('notification', () => this.onNotice())
    try {
      await client.connect()
      await client.query(`listen ${this.channel}`)
      this.onNotice()
      if (!this.isStopping()) await ended
    } finally {
      this.end = null
      await client.end().catch(() => undefined)
    }
  }
}
