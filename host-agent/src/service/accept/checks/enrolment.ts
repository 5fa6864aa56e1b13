/** The enrolment of a phone: the agent finds the phone, writes nothing to it, wipes it, and proves the wipe. */
import { command } from '../../../adb/quote.js'
import type { FoundCapability } from '../../../adb/device/attempt.js'
import type { WipeCheck } from '../../../custody/wiping/checks.js'
import type { Progress } from '@phonerack/shared'
import { Failed, type Check, type Outcome } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'

/** The folder of the shell user, where an agent that writes to phones leaves its files. */
const shellFolder = '/data/local/tmp'

export const connection: Check = {
  name: 'connection',
  claim: 'A connected phone is listed as unenrolled, and nothing is written to it.',
  needs: [],
  limitMs: 60_000,
  async run(phone, progress) {
    const { ms } = await timed(() => listed(phone, (link) => link !== 'absent', progress))
    const before = await filesOf(phone, progress).catch(() => null)
    await listed(phone, (link) => link === 'unenrolled', progress)
    const after = await filesOf(phone, progress)
    const { maker, model, sdk } = phone.status() ?? {}
    const evidence = [
      `${maker ?? '?'} ${model ?? '?'}, Android API level ${sdk ?? '?'}`,
      `${shellFolder}: ${after}`,
    ]
    if (before !== null && before !== after)
      throw new Failed(`${shellFolder} changed on the phone; before: ${before}`, { evidence })
    return { evidence, times: { listed: ms } }
  },
}

/** Returns the entries of the folder, and when the folder changed. */
async function filesOf(phone: PhoneUnderTest, progress: Progress): Promise<string> {
  const transport = await phone.transport(progress)
  const { stdout } = await transport.shell(command('ls', '-A', shellFolder), progress)
  const names = stdout.toString('utf8').trim().split('\n').toSorted().join(', ')
  const changed = await transport.stat(shellFolder, progress)
  return `${names || 'empty'}, changed at ${changed?.modifiedAt ?? '?'}`
}

/** @throws Failed with the reason of the last link when no `wanted` link comes */
async function listed(
  phone: PhoneUnderTest,
  wanted: (link: string) => boolean,
  progress: Progress,
): Promise<void> {
  // Ends before the check's limit, so that the reason names the link.
  const within = progress.within(progress.remaining - 2000)
  for (;;) {
    const status = phone.status()
    if (status && wanted(status.link)) return
    if (within.expired)
      throw new Failed(
        status === null
          ? 'adb does not list the phone'
          : `the phone is ${status.link}${status.reason === null ? '' : `: ${status.reason}`}`,
      )
    await progress.sleep(50, 'the listing of the phone')
  }
}

export const enrolment: Check = {
  name: 'enrolment',
  claim: 'A wipe by test harness mode frees the phone, and every trace of a tenant is read and gone.',
  needs: ['connection'],
  limitMs: 15 * 60_000,
  async run(phone, progress) {
    const { result, ms } = await timed(() => phone.gate().enroll(phone.next(), progress))
    phone.capabilities = result.capabilities
    return wipeOutcome(result.checks, { enrolment: ms })
  },
}

/** @throws Failed that names the checks that did not pass */
export function wipeOutcome(checks: readonly WipeCheck[], times: Outcome['times'] = {}): Outcome {
  const evidence = checks.map(
    ({ name, passed, evidence: seen }) => `${passed ? 'ok' : 'FAILED'} ${name}: ${seen}`,
  )
  const failed = checks.filter(({ passed }) => !passed)
  if (checks.length === 0) throw new Failed('the wipe was not checked', { evidence, times })
  if (failed.length > 0)
    throw new Failed(failed.map(({ name, evidence: seen }) => `${name}: ${seen}`).join('; '), {
      evidence,
      times,
    })
  return { evidence, times }
}

/** Implementations that are used only where a better implementation does not work. */
const fallbacks: ReadonlySet<string> = new Set([
  'input-commands',
  'unproven',
  'uiautomator-file',
  'uiautomator-tty',
])

export const capabilities: Check = {
  name: 'capabilities',
  claim: 'Every capability works by its best method.',
  needs: ['enrolment'],
  limitMs: 10_000,
  run(phone) {
    const evidence = phone.capabilities.map(
      ({ name, implementation, evidence: seen }) => `${name}: ${implementation || 'none'} (${seen})`,
    )
    const lacking = phone.capabilities.filter(isLacking)
    if (lacking.length > 0 || phone.capabilities.length === 0) {
      const reason = lacking.map(({ name, implementation, evidence: seen }) =>
        implementation === ''
          ? `${name} does not work: ${seen}`
          : `${name} works only by ${implementation}: ${seen}`,
      )
      return Promise.reject(new Failed(reason.join('; ') || 'no capability was tested', { evidence }))
    }
    return Promise.resolve({ evidence })
  },
}

const isLacking = ({ implementation }: FoundCapability): boolean =>
  implementation === '' || fallbacks.has(implementation)
