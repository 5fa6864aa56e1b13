/**
 * A `<video>` element that plays data while it is appended (Media Source Extensions). Used by
 * `mse-player.ts`.
 */

/** The `ManagedMediaSource` of iPhones from iOS 17.1. */
interface Sources {
  ManagedMediaSource?: typeof MediaSource
  MediaSource?: typeof MediaSource
}

const { MediaSource: plain, ManagedMediaSource: managed } = globalThis as Sources
const Source = plain ?? managed

const typeOf = (codec: string): string => `video/mp4; codecs="${codec}"`

interface FilmListener {
  /**
   * The video shows a new picture.
   * @param at the picture's start, in seconds of the video
   */
  onPicture(video: HTMLVideoElement, at: number): void
  /** The video shows the same picture, or a picture that was not announced. */
  onRepeat(video: HTMLVideoElement): void
  /** Playback has failed. */
  onFailure(): void
}

interface Piece {
  bytes: Uint8Array<ArrayBuffer>
  /** The start of a key frame, in seconds of the video. */
  keyFrameAt: number | null
  jump: boolean
}

export class Film {
  private readonly video = document.createElement('video')
  private buffer: SourceBuffer | null = null
  private readonly pieces: Piece[] = []
  /** The starts of key frames, in seconds of the video. */
  private keyFrames: number[] = []
  private jumpTo: number | null = null
  private isClosed = false

  /** @param canvas covers the video: some browsers do not play a video outside the page */
  constructor(
    canvas: HTMLCanvasElement,
    readonly codec: string,
    private readonly listener: FilmListener,
  ) {
    const { video } = this
    if (!Source) throw new Error('this browser does not support Media Source Extensions')
    video.className = 'film'
    video.muted = true
    video.playsInline = true
    video.disableRemotePlayback = true
    video.ariaHidden = 'true'
    video.addEventListener('error', () => this.fail())
    const source = new Source()
    const url = URL.createObjectURL(source)
    source.addEventListener('sourceopen', () => {
      URL.revokeObjectURL(url)
      if (!this.isClosed) this.begin(source)
    })
    video.src = url
    canvas.before(video)
    this.play()
    // A browser that blocks autoplay allows it after a touch.
    addEventListener('pointerdown', this.play)
    document.addEventListener('visibilitychange', this.play)
    this.watch()
  }

  static get isSupported(): boolean {
    return Source !== undefined
  }

  static plays(codec: string): boolean {
    return Source?.isTypeSupported(typeOf(codec)) ?? false
  }

  /** Seconds of the video. */
  get time(): number {
    return this.video.currentTime
  }

  /** Draws the current picture again. */
  repeat(): void {
    this.listener.onRepeat(this.video)
  }

  /**
   * Appends data.
   * @param key set for a key frame: `keyFrameAt` is its start in seconds of the video; with `jump`, playback
   * seeks to that time
   */
  add(bytes: Uint8Array<ArrayBuffer>, key?: { keyFrameAt: number; jump: boolean }): void {
    this.pieces.push({ bytes, keyFrameAt: key?.keyFrameAt ?? null, jump: key?.jump ?? false })
    this.next()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    removeEventListener('pointerdown', this.play)
    document.removeEventListener('visibilitychange', this.play)
    this.video.removeAttribute('src')
    this.video.load()
    this.video.remove()
  }

  private begin(source: MediaSource): void {
    try {
      this.buffer = source.addSourceBuffer(typeOf(this.codec))
    } catch {
      return this.fail()
    }
    this.buffer.addEventListener('updateend', () => this.next())
    this.buffer.addEventListener('error', () => this.fail())
    this.next()
  }

  /** Runs one operation at a time, as the source buffer requires. */
  private next(): void {
    const { buffer, video } = this
    if (!buffer || buffer.updating || this.isClosed) return
    try {
      if (this.jumpTo !== null) {
        video.currentTime = this.jumpTo
        this.jumpTo = null
      }
      // Remove everything before the previous key frame, which has been shown.
      const [first, second] = this.keyFrames
      if (first !== undefined && second !== undefined && second < video.currentTime) {
        this.keyFrames.shift()
        if (second > first) return buffer.remove(0, second)
      }
      const piece = this.pieces.shift()
      if (!piece) return
      if (piece.keyFrameAt !== null) this.keyFrames.push(piece.keyFrameAt)
      if (piece.jump) this.jumpTo = piece.keyFrameAt
      buffer.appendBuffer(piece.bytes)
    } catch {
      this.fail()
    }
  }

  private readonly play = (): void => {
    // If the browser blocks playback, the next touch retries.
    this.video.play().catch(() => undefined)
  }

  private watch(): void {
    const { video, listener } = this
    if ('requestVideoFrameCallback' in video) {
      const onFrame: VideoFrameRequestCallback = (_now, { mediaTime }) => {
        if (this.isClosed) return
        listener.onPicture(video, mediaTime)
        // Firefox reports a frame a moment before a canvas can draw it.
        requestAnimationFrame(() => !this.isClosed && listener.onRepeat(video))
        video.requestVideoFrameCallback(onFrame)
      }
      video.requestVideoFrameCallback(onFrame)
      return
    }
    this.watchClock(-1)
  }

  /** Older browsers do not report frames: draw the current picture while the clock runs. */
  private watchClock(before: number): void {
    requestAnimationFrame(() => {
      if (this.isClosed) return
      const { currentTime, readyState } = this.video
      const hasPicture = readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && currentTime !== before
      if (hasPicture) this.listener.onPicture(this.video, currentTime)
      this.watchClock(hasPicture ? currentTime : before)
    })
  }

  private fail(): void {
    if (this.isClosed) return
    this.close()
    this.listener.onFailure()
  }
}
