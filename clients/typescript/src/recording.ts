/** A video of a phone's screen. */
import type { Connection } from './connection.js'
import { PhonerackError } from './errors.js'
import { deleteRecording, listRecordings, readRecording, stopRecording } from './generated/sdk.gen.js'
import type { Recording as RecordingFields } from './generated/types.gen.js'
import { pause } from './pause.js'
import { signalOf, type CallOptions } from './transport.js'

/** Milliseconds: between two reads, and until a video is made. */
const [everyMs, madeMs] = [1000, 600_000]

export class Recording implements AsyncDisposable {
  readonly id: string

  constructor(
    private readonly connection: Connection,
    private readonly phoneId: string,
    /** From the last answer. */
    public data: RecordingFields,
  ) {
    this.id = data.id
  }

  private get path(): { id: string; rid: string } {
    return { id: this.phoneId, rid: this.id }
  }

  /** Ends the recording. The video is made afterwards: `video()` waits for it. */
  async stop(options: CallOptions = {}): Promise<this> {
    this.data = await stopRecording({ ...this.connection.sending(options), path: this.path })
    return this
  }

  /** Waits until the video is made. @throws PhonerackError when it failed */
  async ready(options: CallOptions = {}): Promise<this> {
    const signal = signalOf(options, madeMs)
    for (;;) {
      const { data } = await listRecordings({
        ...this.connection.sending({ signal }),
        path: { id: this.phoneId },
      })
      const found = data.find(({ id }) => id === this.id)
      if (found) this.data = found
      if (found?.status === 'ready') return this
      if (!found || found.status === 'failed')
        throw new PhonerackError({
          code: 'recording_failed',
          type: 'provider_error',
          retryable: false,
          next: null,
          message: found ? 'The recording failed.' : 'The recording was deleted.',
          details: { recording: this.id },
        })
      await pause(everyMs, signal)
    }
  }

  /** The MP4 file. Waits until it is made. */
  async video(options: CallOptions = {}): Promise<Blob> {
    const signal = signalOf(options, madeMs)
    await this.ready({ signal })
    const sending = this.connection.sending({ signal }, madeMs, { expected: 'bytes' })
    return readRecording({ ...sending, path: this.path, parseAs: 'blob' })
  }

  async delete(options: CallOptions = {}): Promise<void> {
    await deleteRecording({ ...this.connection.sending(options), path: this.path })
  }

  /** `await using recording = await phone.record()` stops it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
