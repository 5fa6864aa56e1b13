/** The steps of a phone, their pictures, and exports of a session. */
import { limits, type Connection } from './connection.js'
import { exportSteps, getStep, listSteps, readStepPicture } from './generated/sdk.gen.js'
import type { ListStepsData, Step } from './generated/types.gen.js'
import { Pages } from './pages.js'
import type { CallOptions } from './transport.js'

/** `html`: a file that plays the session; `jsonl`: one step in each line; `ts`, `python`: a program of the SDK. */
export type StepExportForm = 'html' | 'jsonl' | 'ts' | 'python'

type Observations = NonNullable<ListStepsData['query']>['observations']

export interface StepsOptions extends CallOptions {
  /** Only steps of this session. */
  session?: string
  /** The parts of the screens to return: `full` (default), `text` without elements, or `none`. */
  observations?: Observations
}

export class Steps {
  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
  ) {}

  /** Newest first. Works in every status of the phone. */
  list({ session, observations, ...options }: StepsOptions = {}): Pages<Step, Step> {
    const read = (cursor: string | undefined, limit?: number) =>
      listSteps({
        ...this.connection.sending(options),
        path: { id: this.phoneId },
        query: { session, observations, cursor, limit },
      })
    return new Pages(read, (step) => step)
  }

  /** @param options `observations`: how much of the screens; `full` by default */
  get(
    id: string,
    { observations, ...options }: CallOptions & { observations?: Observations } = {},
  ): Promise<Step> {
    const path = { id: this.phoneId, sid: id }
    return getStep({ ...this.connection.sending(options), path, query: { observations } })
  }

  /** The picture of a step whose `picture` is not null. */
  async screenshot(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    const sending = this.connection.sending(options, limits.requestMs, { expected: 'bytes' })
    const answer: unknown = await readStepPicture({ ...sending, path: { id: this.phoneId, sid: id } })
    return new Uint8Array(answer as ArrayBuffer)
  }

  /** A session as one file, in UTF-8. @param options `session`: default: the last session that has steps */
  async export(
    format: StepExportForm,
    { session, ...options }: CallOptions & { session?: string } = {},
  ): Promise<Uint8Array> {
    const sending = this.connection.sending(options, limits.actionsMs, { expected: 'bytes' })
    const query = { format, session }
    const answer: unknown = await exportSteps({ ...sending, path: { id: this.phoneId }, query })
    return new Uint8Array(answer as ArrayBuffer)
  }
}
