/**
 * Records a batch as a step. `device-control/service.ts` calls it when a batch runs. A fault of the recording
 * never changes a batch or its answer.
 */
import { ApiError, type Action, type Logger, type ObserveMode } from '@phonerack/shared'
import { type Caller, type CallContext, type StepSettings } from '../../base/core/caller.js'
import { hostMode, type HostMode } from './host-mode.js'
import { readAnswer, recordedMode, withoutObservation, type BatchAnswer } from './answers.js'
import { type OpenStep, type StepRecorder } from './recorder.js'

interface RecordedBatch {
  caller: Caller
  settings: StepSettings
  phoneId: string
  actions: readonly Action[]
  /** The mode that the client requested. */
  observe: ObserveMode
  context: CallContext
}

/** The step of a batch that the phone has admitted. The methods do not fail. */
export class BatchRecording {
  /** The observe mode for the host. */
  readonly mode: HostMode
  /** The same without the record. */
  private readonly asked: HostMode
  private readonly step: OpenStep | null
  private bounds: Uint8Array = new Uint8Array()

  constructor(
    private readonly log: Logger,
    recorder: Pick<StepRecorder, 'begin'>,
    private readonly batch: RecordedBatch,
  ) {
    this.asked = hostMode(batch)
    this.mode = recordedMode(this.asked, batch.settings)
    this.step = this.begin(recorder)
  }

  private begin(recorder: Pick<StepRecorder, 'begin'>): OpenStep | null {
    const { caller, settings, phoneId, actions, observe, context } = this.batch
    const { projectId, keyId } = caller
    const { via, client } = context.sender ?? { via: 'api' as const, client: null }
    const { requestId } = context
    try {
      return recorder.begin({ projectId, phoneId, keyId, requestId, via, client, settings, actions, observe })
    } catch (error) {
      this.report(error)
      return null
    }
  }

  /** Takes the bounds of the elements in a text observation. */
  onBounds = (found: Uint8Array): void => {
    this.bounds = found
  }

  async failed(error: unknown): Promise<void> {
    try {
      // Every ApiError except `internal_error` means that no action ran.
      if (error instanceof ApiError && error.code !== 'internal_error') this.step?.refused()
      else await this.step?.unknown({ code: 'internal_error', message: messageOf(error) })
    } catch (fault) {
      this.report(fault)
    }
  }

  /**
   * Returns the client's answer.
   * @param json the host's answer
   */
  async answered(json: Uint8Array): Promise<Uint8Array> {
    const { actions } = this.batch
    const observe = this.asked
    const read = (): BatchAnswer =>
      readAnswer(json, { observe, count: actions.length }, this.mode, this.bounds)
    try {
      if (this.mode === observe) {
        await this.step?.answered(read)
        return json
      }
      const answer = read()
      await this.step?.answered(() => answer)
      return answer.json
    } catch (error) {
      this.report(error)
      // The batch ran, but its step does not contain how many actions ran.
      await this.failed(error)
      return this.mode === observe ? json : withoutObservation(json)
    }
  }

  private report(error: unknown): void {
    this.log.error({ err: error, phone: this.batch.phoneId }, 'could not record a batch')
  }
}

const messageOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'The batch failed in the control plane.'
