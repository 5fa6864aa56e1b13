/** Reads the screen and runs batches for the checks, as the gRPC handlers do. */
import {
  actionSchema,
  systemClock,
  type ActionResult,
  type Observation,
  type Progress,
} from '@phonerack/shared'
import type { z } from 'zod'
import { runBatch } from '../../../actions/index.js'
import { observe, takeScreenshot } from '../../../screen/index.js'
import { Failed, type Picture } from '../check.js'
import type { PhoneUnderTest } from '../phone.js'

type GivenAction = z.input<typeof actionSchema>

/** Pixels of a picture in the report. */
const pictureWidth = 320

/** @param fresh reads the screen even if nothing was drawn since the last reading */
export async function observeScreen(
  phone: PhoneUnderTest,
  progress: Progress,
  fresh = false,
): Promise<Observation> {
  const caller = phone.caller()
  const gate = phone.gate()
  const shown = { snapshots: phone.snapshots.of(caller), looks: gate.looks(caller) }
  const { observation } = await gate.read(caller, progress, (device, within) =>
    observe(device, shown, { fresh }, within),
  )
  return observation
}

export async function takePicture(
  phone: PhoneUnderTest,
  title: string,
  progress: Progress,
): Promise<Picture> {
  const options = { format: 'jpeg', maxWidth: pictureWidth, quality: 60 } as const
  const { image } = await phone
    .gate()
    .readScreen(phone.caller(), progress, (device, within) => takeScreenshot(device, options, within))
  return { title, image }
}

/**
 * Runs a batch and returns the results, including the results of failed actions. `guarded`: the key has that
 * profile.
 */
export async function tryActions(
  phone: PhoneUnderTest,
  actions: readonly GivenAction[],
  progress: Progress,
  guarded = false,
): Promise<readonly ActionResult[]> {
  const caller = phone.caller()
  const gate = phone.gate()
  return gate.write('batch', caller, progress, async (device, within) => {
    const outcome = await runBatch({
      device,
      snapshots: phone.snapshots.of(caller),
      actions: actions.map((action) => actionSchema.parse(action)),
      observe: 'none',
      guarded,
      progress: within,
      clock: systemClock,
      looks: gate.looks(caller),
      onStarted: () => undefined,
      onFinished: () => undefined,
    })
    return outcome.results
  })
}

/** Milliseconds. */
const obstacleMs = 3000

/** Returns a possible reason for a failed action; empty when unknown. */
async function obstacleOf(phone: PhoneUnderTest, progress: Progress): Promise<string> {
  try {
    const { asleep, locked } = await phone
      .gate()
      .read(phone.caller(), progress.within(obstacleMs), (device, within) =>
        device.secureWindow.read(within, true),
      )
    if (asleep) return ' The screen is off.'
    if (locked) return ' The screen is locked.'
    const { app } = await observeScreen(phone, progress.within(obstacleMs))
    return ` The app in front is ${app.package}.`
  } catch (error) {
    // Only the error of the action is reported.
    return error instanceof Error ? '' : String(error)
  }
}

/** @throws Failed with the error of the first action that fails */
export async function runActions(
  phone: PhoneUnderTest,
  actions: readonly GivenAction[],
  progress: Progress,
): Promise<readonly ActionResult[]> {
  const results = await tryActions(phone, actions, progress)
  const failed = results.find(({ ok }) => !ok)
  if (failed) {
    const because = await obstacleOf(phone, progress)
    throw new Failed(
      `\`${failed.type}\` failed: ${failed.error?.code ?? ''}: ${failed.error?.message ?? ''}${because}`,
    )
  }
  if (results.length < actions.length) throw new Failed('the batch ended before its last action')
  return results
}
