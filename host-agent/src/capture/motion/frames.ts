/**
 * Decides which frames of a phone's video are drawings that changed the screen. Pure.
 *
 * scrcpy's encoder reads a surface that Android fills when it draws (`SurfaceEncoder`), so a frame is a drawing, except:
 * - Repeats. `repeat-previous-frame-after` (100 ms in scrcpy; 0 in the agent's own motion video) sends the last picture again,
 *   up to ten times, each with the time of the frame before plus exactly that interval (AOSP `GraphicBufferSource`). Its size says
 *   little: the encoder uses it to improve the picture. Frames that were drawn have the time of a display refresh, which misses
 *   such an exact multiple.
 * - The first frame of an encoder, after parameter sets: it shows the screen as it is, drawn or not. Drawings while
 *   the encoder started are unknown.
 * - The cursor of a text field, which blinks every 500 ms (AOSP `Editor.BLINK`), and the clock, each minute: lone small frames
 *   with that rhythm. A cursor is recognised at its second blink and the clock at its second minute; the first then does not
 *   count either.
 *
 * Other key frames count as drawings: `i-frame-interval` only decides whether a frame that is sent anyway is a key frame.
 */
export interface Frame {
  /** Arrival, in milliseconds. */
  atMs: number
  /** Microseconds on the phone's clock. */
  ptsUs: bigint
  bytes: number
  isKey: boolean
  /** The first after parameter sets. */
  isFirst: boolean
}

export interface Seen {
  /** Arrival of the encoder's first frame; null before it. */
  knownSince: number | null
  /** Arrival of the last drawing; -Infinity: none. */
  drawnAt: number
  /** The last frames that are not repeats, oldest first. */
  frames: readonly Judged[]
  /** The last frame's time, and how many repeats it ends; null: none. */
  latest: { ptsUs: bigint; repeats: number } | null
}

interface Judged extends Frame {
  /** Null: a frame of a rhythm that is not a drawing. */
  drawnAt: number | null
}

export const nothingSeen: Seen = { knownSince: null, drawnAt: -Infinity, frames: [], latest: null }

const usPerMs = 1000
const repeat = { afterUs: 100_000, withinUs: 5, most: 10 }
/** Bytes: a cursor or a clock in a picture of 256 or of 1280 pixels. */
const smallBytes = 512
/** `alone`: milliseconds without another frame before a beat. */
const cursor = { everyMs: 500, withinMs: 30 }
const clock = { everyMs: 60_000, withinMs: 150, aloneMs: 400 }
/** Milliseconds and frames that the rules look back. */
const kept = { ms: clock.everyMs + 2 * clock.aloneMs, frames: 400 }

/** `repeats`: the encoder repeats the last frame after 100 ms. */
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

/** Marks the newest frame, and the beats before it, when they have a rhythm. */
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

/** A small frame with no other one near it. */
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
