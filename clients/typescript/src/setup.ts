/** Gets a first key for a program in a terminal. A person confirms a short code in the browser. */
import { Connection } from './connection.js'
import { ConnectionError, PhonerackError } from './errors.js'
import { collectSetup, createSetup } from './generated/sdk.gen.js'
import type { CreateSetupAnswer } from './generated/types.gen.js'
import { pause } from './pause.js'
import { baseUrlOf, type PhonerackOptions } from './phonerack.js'
import { createTransport, signalOf, type CallOptions } from './transport.js'

export interface SetupOptions extends CallOptions, Pick<PhonerackOptions, 'fetch' | 'headers'> {
  baseUrl: string | URL
  /** The name of the key, at most 60 printable ASCII characters. */
  client?: string
}

export interface ReceivedKey {
  apiKey: string
  project: string
}

/** Seconds of an answer, at most `most`. A timer would not wait for a missing or a very large number. */
const seconds = (value: unknown, otherwise: number, most: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(most, value) : otherwise

export class Setup {
  /** The code that the person compares with the code on the page. */
  readonly userCode: string
  /** The page for the person. */
  readonly url: string

  private constructor(
    private readonly connection: Connection,
    private readonly data: CreateSetupAnswer,
  ) {
    this.userCode = data.user_code
    this.url = data.verification_url
  }

  /** Show `url` and `userCode` to the person, then wait for `key()`. */
  static async start({ baseUrl, client, headers = {}, fetch, ...options }: SetupOptions): Promise<Setup> {
    const [origin, send] = [baseUrlOf(baseUrl), fetch ?? globalThis.fetch]
    const transport = createTransport({ apiKey: null, baseUrl: origin, maxRetries: 3, headers, fetch: send })
    const connection = new Connection(transport, origin, send)
    const body = client === undefined ? {} : { client }
    return new Setup(connection, await createSetup({ ...connection.sending(options), body }))
  }

  /** Waits for the person. @throws PhonerackError such as `setup_denied` or `setup_expired` */
  async key(options: CallOptions = {}): Promise<ReceivedKey> {
    const signal = signalOf(options, (seconds(this.data.expires_in, 900, 3600) + 60) * 1000)
    for (;;) {
      const answer = await this.poll(signal)
      if (answer?.api_key !== undefined) return { apiKey: answer.api_key, project: answer.project ?? '' }
      await pause(seconds(this.data.interval, 5, 60) * 1000, signal)
    }
  }

  /**
   * Null: no answer arrived. Another poll is safe. If the answer with the key was lost, the poll fails with
   * `setup_used`.
   */
  private async poll(signal: AbortSignal) {
    const body = { setup_token: this.data.setup_token }
    try {
      return await collectSetup({ ...this.connection.sending({ signal }), body })
    } catch (error) {
      const isOver = signal.aborted || !(error instanceof PhonerackError)
      if (isOver || !(error instanceof ConnectionError || error.retryable)) throw error
      return null
    }
  }
}
