/** Starting the phone and reading its screen. */
import { command } from '../../../adb/quote.js'
import { Failed, type Check } from '../check.js'
import { timed } from '../phone.js'
import { observeScreen, runActions, takePicture } from './screen.js'

export const start: Check = {
  name: 'start',
  claim: 'A start wakes the phone, reads its tree and takes a picture.',
  needs: ['enrolment'],
  limitMs: 120_000,
  async run(phone, progress) {
    const { ms } = await timed(() => phone.gate().start(phone.next(), progress))
    const picture = await takePicture(phone, 'After the start', progress)
    return { evidence: [`ready after ${ms} ms`], times: { start: ms }, pictures: [picture] }
  },
}

const reads = 5

export const tree: Check = {
  name: 'tree',
  claim: 'The screen is read as elements.',
  needs: ['start'],
  limitMs: 120_000,
  async run(phone, progress) {
    await runActions(phone, [{ type: 'open_app', package: settingsPackage }], progress)
    const times: number[] = []
    let seen = await observeScreen(phone, progress)
    for (let read = 0; read < reads; read += 1) {
      const { result, ms } = await timed(() => observeScreen(phone, progress, true))
      times.push(ms)
      seen = result
    }
    const picture = await takePicture(phone, 'The settings', progress)
    const evidence = [
      `${seen.elements.length} elements of ${seen.app.package}, screen ${seen.screen.width}x${seen.screen.height}`,
      ...seen.text.split('\n').slice(0, 12),
    ]
    const outcome = {
      evidence,
      times: { median: median(times), slowest: Math.max(...times) },
      pictures: [picture],
    }
    const labelled = seen.elements.filter(({ text, desc }) => text !== null || desc !== null)
    if (seen.app.package !== settingsPackage)
      throw new Failed(`the settings are not in front, but ${seen.app.package}`, outcome)
    if (labelled.length < 3)
      throw new Failed(`only ${labelled.length} elements of the settings have a text`, outcome)
    return outcome
  },
}

/** Milliseconds by which a phone's clock may differ. With a larger difference, apps refuse certificates. */
const clockLimitMs = 60_000

export const clock: Check = {
  name: 'clock',
  claim: "The phone's clock agrees with this machine's.",
  needs: ['connection'],
  limitMs: 30_000,
  async run(phone, progress) {
    const transport = await phone.transport(progress)
    const { stdout } = await transport.shell(command('date', '+%s'), progress)
    const seconds = Number(stdout.toString('utf8').trim())
    if (!Number.isInteger(seconds)) throw new Failed('the phone does not report its time')
    const offMs = seconds * 1000 - Date.now()
    const evidence = [`${Math.round(offMs / 1000)} s from this machine's clock`]
    if (Math.abs(offMs) > clockLimitMs)
      throw new Failed(`the clock is ${Math.round(offMs / 1000)} s off`, { evidence })
    return { evidence }
  },
}

export const settingsPackage = 'com.android.settings'

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
