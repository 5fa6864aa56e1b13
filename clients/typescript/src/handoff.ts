/** A request to a person to do something on the phone. */
import type { Connection } from './connection.js'
import { ConnectionError, PhonerackError } from './errors.js'
import { deleteHandoff, getHandoff } from './generated/sdk.gen.js'
import type { CreatedHandoff, Handoff as HandoffFields } from './generated/types.gen.js'
import { pause } from './pause.js'
import type { CallOptions } from './transport.js'
import { pauseMs } from './until-ready.js'

/** Seconds that one read waits. */
const waitSeconds = 50
/** Status of a request that is not answered yet. */
const open = ['open', 'taken']

const stillOpen = (
  { id, expires_at }: CreatedHandoff,
  status: string,
  cause: ConnectionError,
): PhonerackError =>
  new PhonerackError(
    {
      code: 'handoff_open',
      type: 'conflict_error',
      retryable: true,
      message: 'No answer of the person arrived before the deadline.',
      next: `The request is open until ${expires_at}: wait again with \`done()\`, or take it back with \`cancel()\`.`,
      details: { handoff: id, status },
    },
    { cause },
  )

export class Handoff {
  readonly id: string
  /** The page for the person. It works like a password. */
  readonly url: string

  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
    /** The answer of the API to the creation of the request. */
    readonly data: CreatedHandoff,
  ) {
    this.id = data.id
    this.url = data.url
  }

  private get path(): { id: string; hid: string } {
    return { id: this.phoneId, hid: this.id }
  }

  get(options: CallOptions = {}): Promise<HandoffFields> {
    return getHandoff({ ...this.connection.sending(options), path: this.path })
  }

  /**
   * Waits until the person has answered, or the request has expired: `status` is `done`, `declined` or `expired`.
   * @throws NotFoundError once it was cancelled; PhonerackError `handoff_open` when the deadline has passed without an answer
   * @param options `deadline`: milliseconds; default: until the request expires
   */
  async done(options: CallOptions = {}): Promise<HandoffFields> {
    const leftMs = Math.max(0, Date.parse(this.data.expires_at) - Date.now()) + 60_000
    const sending = this.connection.sending(options, leftMs)
    let status: string = this.data.status
    try {
      for (;;) {
        const query = { wait: 'done', timeout: waitSeconds } as const
        const now = await getHandoff({ ...sending, path: this.path, query })
        if (!open.includes(now.status)) return now
        status = now.status
        await pause(pauseMs, sending.signal)
      }
    } catch (error) {
      throw error instanceof ConnectionError && error.code === 'timeout'
        ? stillOpen(this.data, status, error)
        : error
    }
  }

  /** Cancels the request. The person loses control. */
  async cancel(options: CallOptions = {}): Promise<void> {
    await deleteHandoff({ ...this.connection.sending(options), path: this.path })
  }
}
