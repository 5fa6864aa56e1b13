/** A picture of a screen. */
import type { ScreenshotOptions } from './phone-options.js'

/** Separates the query of the API from the options of the call. */
export function screenshotQuery({ format, maxWidth, quality, annotate, ...options }: ScreenshotOptions) {
  const annotated = annotate === undefined ? undefined : annotate ? ('true' as const) : ('false' as const)
  return { query: { format, quality, max_width: maxWidth, annotate: annotated }, options }
}

/** The bytes of the image, with the facts that its pixels do not show. */
export class Screenshot extends Uint8Array<ArrayBuffer> {
  /** Image width divided by screen width: divide a point of the image by it to get device pixels. */
  readonly scale: number
  /** The size of the screen in device pixels. */
  readonly screen: { width: number; height: number }
  /** The screen shows a window that forbids screenshots. The window is black in the image. */
  readonly secure: boolean
  /** Names the screen of an annotated picture, whose numbers are the `ref` of its elements; otherwise null. */
  readonly snapshotId: string | null

  /** Parts and copies are plain bytes. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array
  }

  constructor(bytes: ArrayBuffer, headers: Headers) {
    super(bytes)
    const number = (name: string): number => Number(headers.get(name) ?? Number.NaN)
    this.scale = number('x-screen-scale')
    this.screen = { width: number('x-screen-width'), height: number('x-screen-height') }
    this.secure = headers.get('x-screen-secure') === 'true'
    this.snapshotId = headers.get('x-snapshot-id')
  }
}
