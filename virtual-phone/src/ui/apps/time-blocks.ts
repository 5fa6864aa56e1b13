/**
 * A screen of the trouble app, which shows the time when it was drawn, as white and black blocks that survive any video
 * compression, so that a reader of the picture can compute its age.
 */
import { chunks } from '../toolkit/chunks.js'
import { column, frame, row } from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { type Ui } from './app.js'

const COLUMNS = 6
const TIME_BITS = 40
const CHECK_BITS = 8

/**
 * Returns 48 bits, most significant first: milliseconds since 1970 modulo 2^40, then the sum of their five bytes modulo
 * 256.
 */
export function timeBits(ms: number): boolean[] {
  const time = BigInt(ms) & ((1n << BigInt(TIME_BITS)) - 1n)
  let sum = 0n
  for (let rest = time; rest > 0n; rest >>= 8n) sum += rest & 0xffn
  const all = (time << BigInt(CHECK_BITS)) | (sum & 0xffn)
  return Array.from({ length: TIME_BITS + CHECK_BITS }, (_, i) => {
    return ((all >> BigInt(TIME_BITS + CHECK_BITS - 1 - i)) & 1n) === 1n
  })
}

/** Draws eight rows of six blocks each, over the whole area of the app. */
export function timeBlocks(ui: Ui): View {
  const blocks = timeBits(ui.now.getTime()).map((on) =>
    frame({ weight: 1, height: 'fill', box: { color: on ? '#ffffff' : '#000000', radius: 0 } }),
  )
  return column(
    { id: ui.id('time_blocks'), height: 'fill', moving: true, description: 'Time in blocks' },
    chunks(blocks, COLUMNS).map((line) => row({ width: 'fill', weight: 1 }, line)),
  )
}
