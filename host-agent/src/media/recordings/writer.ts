/**
 * Writes one running recording to its file. Accepts frames without waiting for the disk,
 * and marks twice a second that the picture is still on the screen. Ends on `end`, at
 * the end of the video, or on a disk error. Used by `recordings.ts`.
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import type { CaptureListener, VideoConfig, VideoPacket } from '../../adb/device/capture.js'
import { later, type Later } from '../../base/later.js'
import { configurationTag, fileHeader, markTag, pictureTag } from './flv.js'
import { decoderConfiguration, withLengths } from './h264.js'
import { startTimeline, type Timeline } from './timeline.js'

/** Milliseconds between marks: a killed agent loses at most this much of a still screen. */
const markIntervalMs = 500
/** Maximum bytes queued for the disk. A longer queue ends the recording. */
const maxBuffered = 64 << 20

interface RecordingWriterOptions {
  path: string
  /** Milliseconds on a monotonic clock. */
  now: () => number
  /** Called when the first picture is written. */
  onBegin(): void
  /** Called with the first size of the picture, and with each new size. */
  onSize(size: { width: number; height: number }): void
  /** Called with each mark and the written bytes. Returns why the recording must end, or null. */
  limit(bytes: number): Promise<string | null>
}

export class RecordingWriter implements CaptureListener {
  private readonly file: WriteStream
  private readonly over: Later<string> = later<string>()
  /** Resolves with the reason for the recording's end, after the last byte is written. */
  readonly ended: Promise<string>
  private timeline: Timeline | null = null
  private configuration: Buffer | null = null
  /** True while the file does not contain `configuration` yet. */
  private isNewConfiguration = false
  private timer: NodeJS.Timeout | null = null
  private written = 0
  private isOver = false

  constructor(private readonly options: RecordingWriterOptions) {
    this.file = createWriteStream(options.path, { mode: 0o600 })
    this.file.on('error', (error) => this.finish(`the file could not be written: ${error.message}`))
    this.ended = this.over.promise
    this.write(fileHeader)
  }

  get bytes(): number {
    return this.written
  }

  onConfig({ parameterSets, width, height }: VideoConfig): void {
    if (this.isOver) return
    const record = decoderConfiguration(parameterSets)
    if (record === null) return this.end('the video has no parameter sets')
    this.options.onSize({ width, height })
    if (this.configuration?.equals(record)) return
    this.configuration = record
    this.isNewConfiguration = true
  }

  onPacket({ data, ptsUs, isKeyFrame }: VideoPacket): void {
    if (this.isOver || !this.configuration) return
    const now = this.options.now()
    const begins = this.timeline === null
    // No frame can be decoded before a key frame.
    if ((begins || this.isNewConfiguration) && !isKeyFrame) return
    this.timeline ??= startTimeline(ptsUs, now)
    const ms = begins ? 0 : this.timeline.picture(ptsUs, now)
    if (this.isNewConfiguration) this.write(configurationTag(this.configuration, ms))
    this.isNewConfiguration = false
    this.write(pictureTag(withLengths(data), isKeyFrame, ms))
    if (this.file.writableLength > maxBuffered) return this.end('the disk is too slow')
    if (!begins) return
    this.timer = setInterval(() => this.mark(), markIntervalMs)
    this.options.onBegin()
  }

  onEnd(reason: string): void {
    this.end(`the video ended: ${reason}`)
  }

  /** Ends the recording now; the last picture lasts until now. Repeated calls have no effect. */
  end(reason: string): void {
    if (this.isOver) return
    if (this.timeline) this.write(markTag(this.timeline.shownUntil(this.options.now())))
    this.finish(reason)
  }

  private mark(): void {
    if (this.isOver || !this.timeline) return
    this.write(markTag(this.timeline.shownUntil(this.options.now())))
    this.options.limit(this.written).then(
      (reason) => {
        if (reason !== null) this.end(reason)
      },
      (error: unknown) => this.end(`the disk could not be checked: ${String(error)}`),
    )
  }

  private write(bytes: Buffer): void {
    this.written += bytes.length
    this.file.write(bytes)
  }

  private finish(reason: string): void {
    if (this.isOver) return
    this.isOver = true
    if (this.timer) clearInterval(this.timer)
    // `close` also runs after a failed write.
    this.file.once('close', () => this.over.resolve(reason))
    this.file.end()
    if (this.file.errored) this.file.destroy()
  }
}
