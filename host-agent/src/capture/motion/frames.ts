/**
 * Decides which frames of a phone's video are drawings that changed the screen. Pure.
 *
 * scrcpy's encoder reads a surface that Android fills when it draws (`SurfaceEncoder`), so a frame is a drawing,
 * except:
 * - Repeats. `repeat-previous-frame-after` (100 ms in scrcpy; 0 in the agent's own motion video) sends the last picture
 *   again, up to ten times. The time of each repeat is the time of the frame before plus exactly that interval (AOSP
 *   `GraphicBufferSource`). The size of a repeat says little, since the encoder uses the repeat to improve the picture.
 *   A drawn frame has the time of a display refresh, which misses such an exact multiple.
 * - The first frame of an encoder, after parameter sets. It shows the screen whether or not anything was drawn.
 *   Drawings while the encoder started are unknown.
 * - The cursor of a text field, which blinks every 500 ms (AOSP `Editor.BLINK`), and the clock, which changes each
 *   minute. They are single small frames at that interval. A cursor is recognised at its second blink and a clock at
 *   its second minute; then the first blink or minute does not count as a drawing either.
 *
 * Other key frames count as drawings: `i-frame-interval` only decides whether a frame that is sent anyway is a key
 * frame.
 */
export interface Frame {
  /** Arrival, in milliseconds. */
  atMs: number
  /** Microseconds on the phone's clock. */
  ptsUs: bigint
  bytes: number
  isKey: boolean
  /** Whether this is the first frame after parameter sets. */
  isFirst: boolean
}

export interface Seen {
  /** Arrival of the encoder's first frame; null before that frame. */
  knownSince: number | null
  /** Arrival of the last drawing; -Infinity before the first drawing. */
  drawnAt: number
  /** The last frames that are not repeats, oldest first. */
  frames: readonly Judged[]
  /**
   * The time of the last frame, and how many repeats directly precede and include that frame. Null before the first
   * frame.
   */
  latest: { ptsUs: bigint; repeats: number } | null
}

interface Judged extends Frame {
  /** Arrival of the frame. Null when the frame is not a drawing. */
  drawnAt: number | null
}

export const nothingSeen: Seen = { knownSince: null, drawnAt: -Infinity, frames: [], latest: null }

const usPerMs = 1000
const repeat = { afterUs: 100_000, withinUs: 5, most: 10 }
/** Maximum bytes of a frame that shows only a change of a cursor or a clock, in a picture of 256 to 1280 pixels. */
const smallBytes = 512
/**
 * `everyMs`: the interval between two frames of the rhythm. `aloneMs`: the time before and after such a frame without
 * another frame.
 */
const cursor = { everyMs: 500, withinMs: 30 }
const clock = { everyMs: 60_000, withinMs: 150, aloneMs: 400 }
/** How far the rules look back, in milliseconds and in frames. */
const kept = { ms: clock.everyMs + 2 * clock.aloneMs, frames: 400 }

/** Adds a frame. `repeats`: whether the encoder repeats the last frame after 100 ms. */
export function nextFrame(seen: Seen, frame: Frame, repeats: boolean): Seen {
  const latest = { ptsUs: frame.ptsUs, repeats: 0 }
  if (frame.isFirst)
    return { knownSince: frame.atMs, drawnAt: -Infinity, frames: [{ ...frame, drawnAt: null }], latest }
  if (seen.knownSince === null) return seen
  if (repeats && isRepeat(seen.latest, frame))
    return { ...seen, latest: { ...latest, repeats: (seen.latest?.repeats ?? 0) + 1 } }
  const frames = seen.frames
    .filter(({ atMs }, index) => frame.atMs - atMs <= kept.ms && seen.frames.length - index < kept.frames)
    .concat({ ...frame, drawnAt: frame.atMs })
  const judged = withoutBeats(frames)
  return { knownSince: seen.knownSince, drawnAt: lastDrawing(judged), frames: judged, latest }
}

const msBetween = (earlier: Frame, later: Frame): number => Number(later.ptsUs - earlier.ptsUs) / usPerMs

const near = (value: number, wanted: number, within: number): boolean => Math.abs(value - wanted) <= within

function isRepeat(latest: Seen['latest'], { ptsUs, isKey }: Frame): boolean {
  if (latest === null || isKey || latest.repeats === repeat.most) return false
  const misses = Number(ptsUs - latest.ptsUs) - repeat.afterUs
  return Math.abs(misses) <= repeat.withinUs
}

/** When the newest frame and earlier frames are a cursor or a clock, marks these frames as no drawings. */
function withoutBeats(frames: Judged[]): Judged[] {
  const newest = frames.length - 1
  const [third, second, first] = [frames[newest - 2], frames[newest - 1], frames[newest]]
  const unmark = (...beats: number[]): Judged[] =>
    frames.map((frame, index) => (beats.includes(index) ? { ...frame, drawnAt: null } : frame))
  if (first === undefined || second === undefined || !isSmall(first)) return frames
  const isBlink = (before: Frame, after: Frame): boolean =>
    near(msBetween(before, after), cursor.everyMs, cursor.withinMs)
  if (third !== undefined && isSmall(second) && isBlink(second, first) && isBlink(third, second))
    return unmark(newest, newest - 1)
  if (msBetween(second, first) < clock.aloneMs) return frames
  const tick = frames.findIndex((frame, index) => isTick(frames, index) && isMinute(frame, first))
  return tick < 0 ? frames : unmark(newest, tick)
}

const isSmall = ({ isKey, bytes }: Frame): boolean => !isKey && bytes <= smallBytes

const isMinute = (before: Frame, after: Frame): boolean =>
  near(msBetween(before, after), clock.everyMs, clock.withinMs)

/** Whether the frame is small and no other frame is near in time. */
function isTick(frames: readonly Judged[], index: number): boolean {
  const [before, frame, after] = [frames[index - 1], frames[index], frames[index + 1]]
  return (
    frame !== undefined &&
    isSmall(frame) &&
    (before === undefined || msBetween(before, frame) >= clock.aloneMs) &&
    (after === undefined || msBetween(frame, after) >= clock.aloneMs)
  )
}

const lastDrawing = (frames: readonly Judged[]): number =>
  frames.findLast(({ drawnAt }) => drawnAt !== null)?.atMs ?? -Infinity
