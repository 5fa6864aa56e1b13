/**
 * Gestures that the other checks do not use: gestures of two fingers, and gestures of Android's `input`
 * program.
 */
import type { Observation, Progress } from '@phonerack/shared'
import type { Input, Stroke } from '../../../adb/device/device.js'
import { createCommandInput } from '../../../phone/shell/input-commands.js'
import { Failed, type Check, type Outcome } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { openSettings } from './input.js'
import { observeScreen } from './screen.js'

/** Milliseconds. */
const times = { stroke: 500, settle: 1000 }
const steps = 10
/** The share of the screen's height that counts as a scroll. */
const leastShare = 0.005

type Screen = Observation['screen']

/** Returns a stroke upwards by a third of the screen, at `x` as a share of the width. */
const upwards = ({ width, height }: Screen, x: number): Stroke => ({
  points: Array.from({ length: steps + 1 }, (_, step) => ({
    x: Math.round(width * x),
    y: Math.round(height * (0.75 - (0.35 * step) / steps)),
    atMs: (times.stroke * step) / steps,
  })),
})

/** Returns a finger that does not move, at `x` as a share of the width. */
const resting = ({ width, height }: Screen, x: number): Stroke => ({
  points: [0, times.stroke].map((atMs) => ({ x: Math.round(width * x), y: Math.round(height * 0.75), atMs })),
})

/** Returns a stroke downwards after a pause: an uneven path, which is not played as a swipe. */
const restedDownwards = ({ width, height }: Screen): Stroke => ({
  points: [
    ...[0, times.stroke].map((atMs) => ({ x: Math.round(width / 2), y: Math.round(height * 0.4), atMs })),
    ...[0.55, 0.7].map((y, index) => ({
      x: Math.round(width / 2),
      y: Math.round(height * y),
      atMs: times.stroke * (1.5 + index / 2),
    })),
  ],
})

/**
 * Whether an element of both screens is at another height. A tap that opens another screen does not count.
 */
const hasScrolled = (before: Observation, after: Observation): boolean =>
  before.elements.some(({ text, center }) => {
    const moved = text === null ? undefined : after.elements.find((each) => each.text === text)
    return moved !== undefined && Math.abs(moved.center[1] - center[1]) > before.screen.height * leastShare
  })

/** Plays strokes. @returns milliseconds @throws Failed when the screen did not scroll */
async function moves(
  phone: PhoneUnderTest,
  before: Observation,
  strokes: readonly Stroke[],
  what: string,
  progress: Progress,
  inputOf?: () => Promise<Input>,
): Promise<{ after: Observation; ms: number }> {
  const { ms } = await timed(() =>
    phone.gate().write('batch', phone.caller(), progress, async (device, within) => {
      const input = inputOf === undefined ? device.input : await inputOf()
      await input.gesture(strokes, within)
    }),
  )
  await progress.sleep(times.settle, 'the end of the scroll')
  const after = await observeScreen(phone, progress)
  if (!hasScrolled(before, after)) throw new Failed(`${what} did not scroll the settings`)
  return { after, ms }
}

export const twoFingers: Check = {
  name: 'two_fingers',
  claim: 'A gesture of two fingers at the same time reaches the app.',
  needs: ['scroll'],
  limitMs: 60_000,
  async run(phone, progress): Promise<Outcome> {
    const before = await openSettings(phone, progress)
    // Android scrolls by the finger that was pressed last. The first finger alone would move nothing.
    const strokes = [resting(before.screen, 0.35), upwards(before.screen, 0.65)]
    const { ms } = await moves(phone, before, strokes, 'a gesture of two fingers', progress)
    return { evidence: ['two fingers moved the settings'], times: { gesture: ms } }
  },
}

export const inputCommands: Check = {
  name: 'input_commands',
  claim: 'Without a scrcpy server, the `input` program swipes, and drags step by step.',
  needs: ['scroll'],
  limitMs: 90_000,
  async run(phone, progress): Promise<Outcome> {
    const before = await openSettings(phone, progress)
    const commands = async (): Promise<Input> => createCommandInput(await phone.transport(progress))
    const swiped = await moves(
      phone,
      before,
      [upwards(before.screen, 0.5)],
      '`input swipe`',
      progress,
      commands,
    )
    const dragged = await moves(
      phone,
      swiped.after,
      [restedDownwards(before.screen)],
      '`input motionevent`',
      progress,
      commands,
    )
    return { evidence: ['moved up and down'], times: { swipe: swiped.ms, drag: dragged.ms } }
  },
}
