/** A phone that is parked, that is restarted, that hangs, and that is returned. */
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import { DeviceGone, type SecureWindowState } from '../../../adb/device/device.js'
import { bootId } from '../../../phone/shell/boot-id.js'
import { wakefulness } from '../../../phone/shell/power.js'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { keptFile } from './device.js'
import { wipeOutcome } from './enrolment.js'
import { observeScreen } from './screen.js'

/** Milliseconds with the screen off. */
const parkedMs = 1000
/** Milliseconds for one answer of a restarting phone. */
const answerMs = 3000

export const park: Check = {
  name: 'park',
  claim: 'A parked phone turns its screen off, and starts with its screen on and without a lock.',
  needs: ['start'],
  limitMs: 120_000,
  async run(phone, progress) {
    await phone.gate().park(phone.next(), progress)
    await progress.sleep(parkedMs, 'the parked phone')
    const transport = await phone.transport(progress)
    const { stdout } = await transport.shell(command('dumpsys', 'power'), progress)
    const state = wakefulness(stdout.toString('utf8')) ?? 'unknown'
    const parked = await blackness(phone, progress)
    const { ms } = await timed(() => phone.gate().start(phone.next(), progress))
    const { app, screen } = await observeScreen(phone, progress)
    const started = await blackness(phone, progress)
    const evidence = [
      `parked: ${state}, ${JSON.stringify(parked)}`,
      `started: ${app.package} in front, ${JSON.stringify(started)}`,
    ]
    if (state === 'Awake') throw new Failed('the screen stayed on while the phone was parked', { evidence })
    if (!parked.asleep)
      throw new Failed('a viewer of the parked phone does not see that it sleeps', { evidence })
    if (screen.on === false || started.asleep)
      throw new Failed('the screen is off after the start', { evidence })
    if (started.locked) throw new Failed('the screen is locked after the start', { evidence })
    return { evidence, times: { start: ms } }
  },
}

/** Returns the reasons for a black picture that a viewer gets. */
const blackness = (phone: PhoneUnderTest, progress: Progress): Promise<SecureWindowState> =>
  phone.gate().read(phone.caller(), progress, (device, within) => device.secureWindow.read(within, true))

export const reboot: Check = {
  name: 'reboot',
  claim: 'A restarted phone is found again, and starts with its data.',
  needs: ['start'],
  limitMs: 6 * 60_000,
  async run(phone, progress) {
    const { ms } = await timed(async () => {
      const caller = phone.next()
      await phone.gate().reboot(caller, progress)
      await healthyAgain(phone, progress)
      await phone.gate().start(caller, progress)
    })
    const { elements } = await observeScreen(phone, progress)
    return { evidence: [`${elements.length} elements after the restart`], times: { reboot: ms } }
  },
}

/** @throws Failed with the phone's last state */
export async function healthyAgain(phone: PhoneUnderTest, progress: Progress): Promise<void> {
  // Ends before the check's limit, so that the reason names the state.
  const within = progress.within(progress.remaining - 2000)
  while (phone.status()?.link !== 'healthy') {
    const { link, reason } = phone.status() ?? { link: 'absent', reason: null }
    if (within.expired)
      throw new Failed(`the phone did not come back: it is ${link}${reason === null ? '' : ` (${reason})`}`)
    await progress.sleep(50, 'the return of the phone')
  }
}

/** Returns the ID of the phone's boot. Retries while the phone does not answer. */
async function bootOf(phone: PhoneUnderTest, progress: Progress): Promise<string | null> {
  for (;;) {
    try {
      return await bootId(await phone.transport(progress), progress.within(answerMs))
    } catch (error) {
      if (!(error instanceof DeviceGone || error instanceof DeadlineExceeded) || progress.expired) throw error
      await progress.sleep(200, 'the answer of the phone')
    }
  }
}

/** The steps of `supervision/escalation.ts` that a phone must survive. */
const steps = ['reconnect', 'reboot'] as const

export const hangRecovery: Check = {
  name: 'hang_recovery',
  claim: 'A phone whose calls hang is reconnected, then restarted, and works again each time.',
  needs: ['reboot'],
  limitMs: 10 * 60_000,
  async run(phone, progress) {
    const times: Record<string, number> = {}
    const taken = () => phone.status()?.events ?? []
    const firstEvents = taken().length
    for (const step of steps) {
      const event = () => taken().findLast((each) => each.step === step)
      const boot = await bootOf(phone, progress)
      const { ms } = await timed(async () => {
        while (event() === undefined) {
          await phone.hang(progress)
          await progress.sleep(100, 'the next hang')
        }
        if (event()?.outcome !== 'done') return
        const hasRestarted = async () => (await bootOf(phone, progress)) !== boot
        while (step === 'reboot' && !(await hasRestarted())) await progress.sleep(200, 'the restart')
        const answered = () => Date.parse(phone.status()?.proof_of_life_at ?? '')
        while (!(answered() > Date.parse(event()?.at ?? ''))) await progress.sleep(50, 'an answer')
        await healthyAgain(phone, progress)
      })
      times[step] = ms
    }
    const events = taken().slice(firstEvents)
    const evidence = events.map(({ step, outcome, reason }) => `${step} ${outcome}: ${reason}`)
    await phone.gate().start(phone.next(), progress)
    const failed = events.find(({ outcome }) => outcome === 'failed')
    if (failed) throw new Failed(`${failed.step} failed: ${failed.reason}`, { evidence, times })
    return { evidence, times }
  },
}

export const wipe: Check = {
  name: 'wipe',
  claim: "A wipe removes the last tenant's data, and every check of the wipe passes.",
  needs: ['start'],
  limitMs: 15 * 60_000,
  async run(phone, progress) {
    const { result, ms } = await timed(() => phone.gate().wipe(phone.next(), progress))
    const outcome = wipeOutcome(result, { wipe: ms })
    const left = await (await phone.transport(progress)).stat(keptFile, progress)
    if (left !== null) throw new Failed(`${keptFile} is still there`, outcome)
    return outcome
  },
}
