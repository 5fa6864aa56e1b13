/**
 * Clears and verifies SIM data that survives a data wipe, on phones whose operator allows a SIM: messages on the SIM and call
 * forwarding at the carrier. Used by `wipe.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { ShellResult } from '../../adb/shell-protocol.js'
import type { Transport } from '../../adb/transport.js'
import type { WipeCheck } from './checks.js'
import { esimProfiles, removableStorage, sims } from './cards.js'
import { outputOf } from '../../adb/device/run.js'
import { checkTrace } from './traces.js'

const onSim = 'content://sms/icc'
const onPhone = 'content://sms'
const registry = command('dumpsys', 'telephony.registry')
/** 3GPP TS 22.030: erases every call forwarding of the subscription. */
const eraseForwarding = 'tel:%23%23002%23'
/** Milliseconds for the carrier's answer. */
const carrierMs = 20_000

const queryOf = (uri: string, column: string) =>
  command('content', 'query', '--uri', uri, '--projection', column)

/** Parses `Row: 0 index_on_icc=1`; null when the answer is not a list. */
function rowsOf(result: ShellResult): string[] | null {
  const output = outputOf(result)
  if (/^No result found/m.test(output)) return []
  const rows = [...output.matchAll(/^Row: \d+ \w+=(\w+)/gm)].map(([, value]) => value ?? '')
  return rows.length > 0 ? rows : null
}

/** Null when not reported. AOSP reports only unconditional forwarding. */
function forwards(output: string): boolean | null {
  const found = [...output.matchAll(/mCallForwarding=(true|false)/g)].map(([, value]) => value === 'true')
  return found.length === 0 ? null : found.some(Boolean)
}

/** Clears the data of the SIM. The checks after the wipe find data that this step cannot clear. */
export async function clearSim(transport: Transport, progress: Progress): Promise<void> {
  const ask = (...args: string[]) => transport.shell(command(...args), progress)
  for (const index of rowsOf(await transport.shell(queryOf(onSim, 'index_on_icc'), progress)) ?? [])
    await ask('content', 'delete', '--uri', `${onSim}/${index}`)
  await ask('am', 'start', '-a', 'android.intent.action.CALL', '-d', eraseForwarding)
  const within = progress.within(carrierMs)
  while (!within.expired) {
    if (forwards(outputOf(await transport.shell(registry, progress))) !== true) return
    await within.sleep(500, 'the erasure of call forwarding by the carrier')
  }
}

const check = (name: string, passed: boolean, evidence: string): WipeCheck => ({ name, passed, evidence })

/** The evidence contains only counts, since the texts are a tenant's data. */
export async function checkSim(transport: Transport, progress: Progress): Promise<WipeCheck[]> {
  const counts = []
  for (const [uri, column] of [
    [onPhone, '_id'],
    [onSim, 'index_on_icc'],
  ] as const)
    counts.push(rowsOf(await transport.shell(queryOf(uri, column), progress))?.length ?? null)
  const [phone = null, sim = null] = counts
  const forwarding = forwards(outputOf(await transport.shell(registry, progress)))
  return [
    check(
      'sim_messages',
      phone === 0 && sim === 0,
      `${phone ?? 'unreadable'} on the phone, ${sim ?? 'unreadable'} on the SIM`,
    ),
    check(
      'call_forwarding',
      forwarding === false,
      forwarding === null
        ? 'the phone does not report call forwarding'
        : forwarding
          ? 'calls are still forwarded'
          : 'none',
    ),
  ]
}

/** Accepts an allowed SIM. An unreadable state still fails. */
export const allowed = (found: WipeCheck): WipeCheck =>
  found.passed || found.evidence.startsWith('could not be read')
    ? found
    : { ...found, passed: true, evidence: `allowed by the operator: ${found.evidence}` }

/**
 * Finds cards that a wipe would not clear, before an enrolment erases anything. Empty when there is no
 * obstacle.
 */
export async function cardsInTheWay(
  transport: Transport,
  simAllowed: boolean,
  progress: Progress,
): Promise<WipeCheck[]> {
  const found: WipeCheck[] = []
  for (const trace of [removableStorage, sims, esimProfiles]) {
    const read = checkTrace(trace, await transport.shell(trace.command, progress), null).check
    found.push(trace === sims && simAllowed ? allowed(read) : read)
  }
  return found.filter(({ passed }) => !passed)
}
