/** Traces of a tenant that the shell can set: each is found by the command that proves a wipe. */
import { Progress } from '@phonerack/shared'
import { command, type ShellCommand } from '../../../adb/quote.js'
import { checkTrace, traces as readers } from '../../../custody/wiping/traces.js'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { whileLocked } from './locking.js'

interface Settable {
  /** A name in `wiping/traces.ts`. */
  trace: string
  namespace: 'secure' | 'system'
  key: string
  value: string
  /** The finding with which the trace names the setting. */
  found: string
}

const settable: readonly Settable[] = [
  {
    trace: 'accessibility_services',
    namespace: 'secure',
    key: 'enabled_accessibility_services',
    value: 'com.example.acceptance/.Service',
    found: 'com.example.acceptance/.Service',
  },
  {
    trace: 'vpn',
    namespace: 'secure',
    key: 'always_on_vpn_app',
    value: 'com.example.acceptance',
    found: 'com.example.acceptance',
  },
  { trace: 'settings', namespace: 'system', key: 'font_scale', value: '1.15', found: 'font_scale=1.15' },
]

const pin = '9753'
/** Milliseconds. */
const resetMs = 10_000

const shell = async (phone: PhoneUnderTest, line: ShellCommand, progress: Progress): Promise<string> =>
  (await (await phone.transport(progress)).shell(line, progress)).stdout.toString('utf8').trim()

/**
 * Returns the findings of one trace.
 * @throws Failed when the trace cannot be read
 */
async function findingsOf(phone: PhoneUnderTest, name: string, progress: Progress): Promise<string[]> {
  const trace = readers.find((each) => each.name === name)
  if (trace === undefined) throw new Error(`no trace is named ${name}`)
  const transport = await phone.transport(progress)
  const { found, check } = checkTrace(trace, await transport.shell(trace.command, progress), [])
  if (check.evidence.startsWith('could not be read')) throw new Failed(`${name}: ${check.evidence}`)
  return found
}

/**
 * Returns the findings while the setting has a tenant's value. Resets the setting, even after an
 * interruption.
 * @throws Failed when the value stays
 */
async function whileSet(
  phone: PhoneUnderTest,
  { trace, namespace, key, value }: Settable,
  progress: Progress,
): Promise<string[]> {
  const before = await shell(phone, command('settings', 'get', namespace, key), progress)
  const find = async () => {
    await shell(phone, command('settings', 'put', namespace, key, value), progress)
    return findingsOf(phone, trace, progress)
  }
  const reset = async () => {
    const within = Progress.for(resetMs)
    const words = before === 'null' ? ['delete', namespace, key] : ['put', namespace, key, before]
    // Only the state counts, as for a screen lock.
    await shell(phone, command('settings', ...words), within).catch(() => undefined)
    const now = await shell(phone, command('settings', 'get', namespace, key), within).catch(String)
    if (now !== before) throw new Failed(`the setting ${key} of ${value} is not reset on the phone: ${now}`)
  }
  return phone.unfinished.resetAfter(find, reset)
}

export const traces: Check = {
  name: 'traces',
  claim: 'A trace of a tenant that the shell can set is found, and gone when it is reset.',
  needs: ['enrolment'],
  limitMs: 120_000,
  async run(phone, progress) {
    const evidence: string[] = []
    const missed: string[] = []
    const judge = (name: string, found: readonly string[], wanted: string, left: readonly string[]) => {
      if (!found.includes(wanted))
        missed.push(`${name} shows ${found.join(', ') || 'nothing'}, not ${wanted}`)
      else if (left.includes(wanted)) missed.push(`${name} still shows ${wanted}`)
      else evidence.push(`${name}: ${wanted}`)
    }
    const { ms } = await timed(async () => {
      for (const each of settable) {
        const found = await whileSet(phone, each, progress)
        judge(each.trace, found, each.found, await findingsOf(phone, each.trace, progress))
      }
      const lock = 'lock_credential'
      const found = await whileLocked(phone, pin, progress, () => findingsOf(phone, lock, progress))
      judge(lock, found, 'a credential', await findingsOf(phone, lock, progress))
    })
    if (missed.length > 0) throw new Failed(missed.join('; '), { evidence })
    return { evidence, times: { all: ms } }
  },
}
