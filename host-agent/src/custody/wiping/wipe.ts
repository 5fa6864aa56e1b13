/**
 * Wipes a phone through Android's test harness mode (Android 10 and newer), which erases all data and keeps the key of this adb
 * server. Waits for the restart and verifies the wipe on the phone. Called by `supervision/supervisor.ts`.
 */
import { randomBytes } from 'node:crypto'
import { ApiError, DeadlineExceeded, ownNow, type Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { ControlSocket } from '../../capture/scrcpy/control-socket.js'
import { logTag, wipeMark } from '../../phone/logs/mark.js'
import { proveClipboard } from '../../capture/scrcpy/prove-clipboard.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import { bootId } from '../../phone/shell/boot-id.js'
import { sims } from './cards.js'
import { DeviceGone, isDisconnect } from '../../base/device-gone.js'
import { type WipeCheck } from './checks.js'
import { run } from '../../adb/device/run.js'
import {
  checkAccounts,
  checkClipboard,
  checkDefault,
  checkMark,
  checkOwnFiles,
  checkPackages,
  checkStorage,
  type Baseline,
} from './checks.js'
import { allowed, checkSim, clearSim } from './sim.js'
import { orderWipe } from './order.js'
import { checkTrace, traces } from './traces.js'

const property = 'debug.phonerack.wipe'
/** Milliseconds after which a missing restart counts as failed. */
const restartMs = 60_000

interface WipeParts {
  transport: Transport
  /** Stops background writers. Called before the phone restarts. */
  quiet: () => void
  /** Makes the phone usable after the restart. */
  provision: (progress: Progress) => Promise<void>
  /** Null on phones without a scrcpy server, whose clipboard cannot be read. */
  control: () => ControlSocket | null
  /**
   * Clears a screen lock whose credential is known. Returns whether a lock is set afterwards; null when not reported.
   */
  clearLock: (transport: Transport, progress: Progress) => Promise<boolean | null>
  /** Whether the operator allows a SIM: its data is then cleared, and the wipe verifies that. */
  simAllowed: boolean
  baseline: { get: () => Baseline | null; set: (baseline: Baseline) => void }
}

/** Wipes the phone and returns the checks. A check whose read failed has not passed. */
export async function wipe(parts: WipeParts, progress: Progress): Promise<WipeCheck[]> {
  const transport = parts.transport.pinned()
  const mark = `${wipeMark}${randomBytes(8).toString('hex')}`
  await run(
    transport,
    sequence(
      command('mkdir', '-p', phoneFolder),
      command('touch', `${phoneFolder}/${mark}`),
      command('log', '-t', logTag, mark),
      command('setprop', property, mark),
    ),
    progress,
  )
  const hardware = await readHardware(transport, progress)
  const boot = await bootId(transport, progress)
  const set = (await run(transport, command('getprop', property), progress)).trim()
  if (set !== mark)
    throw new ApiError('provider_error', {
      message: 'The mark could not be written to the phone before its wipe.',
    })
  if (parts.simAllowed) await clearSim(transport, progress)
  const isLocked = await parts.clearLock(transport, progress)
  parts.quiet()
  await orderWipe(transport, isLocked === true, progress)
  await waitForRestart(parts.transport, mark, progress)
  const wiped = parts.transport.pinned()
  // A different phone may now use the address, and must not be written to.
  if ((await readHardware(wiped, progress)) !== hardware) throw new DeviceGone(wiped.serial)
  // The checks run before the agent writes its files again.
  const marked = checkMark(
    await wiped.shell(command('getprop', property), progress),
    await wiped.shell(command('ls', '-A', phoneFolder), progress),
    mark,
  )
  const restarted = boot !== null && (await bootId(wiped, progress)) !== boot
  const read = await readTraces(wiped, parts, progress)
  await parts.provision(progress)
  const clipboard = await readClipboard(parts.control(), restarted, progress)
  const checks = [marked, ...read.checks, clipboard]
  const known = parts.baseline.get()
  if (checks.every(({ passed }) => passed) && (!known || lacksTraces(known)))
    parts.baseline.set(known ? withTraces(known, read.baseline) : read.baseline)
  return checks
}

/**
 * A phone that was enrolled before a trace existed has no default for the trace: the findings of a verified
 * wipe become the default.
 */
const lacksTraces = (known: Baseline): boolean =>
  traces.some(({ name }) => !Object.hasOwn(known.traces, name))

const withTraces = (known: Baseline, read: Baseline): Baseline => ({
  ...known,
  traces: { ...read.traces, ...known.traces },
})

const readHardware = async (transport: Transport, progress: Progress): Promise<string> =>
  (await run(transport, command('getprop', 'ro.serialno'), progress)).trim()

/** Waits until the phone has booted without the mark that only a wipe removes. */
async function waitForRestart(transport: Transport, mark: string, progress: Progress): Promise<void> {
  const startedAt = ownNow()
  let left = false
  for (;;) {
    try {
      const result = await transport.shell(
        sequence(command('getprop', property), command('getprop', 'sys.boot_completed')),
        progress.within(2000),
      )
      const [value, booted] = result.stdout.toString('utf8').split(/\r?\n/)
      if (value !== mark && booted?.trim() === '1') return
      if (value !== mark) left = true
      if (!left && ownNow() - startedAt > restartMs) {
        throw new ApiError('provider_error', { message: 'The phone did not restart for the wipe.' })
      }
    } catch (error) {
      if (isDisconnect(error)) left = true
      else if (!(error instanceof DeadlineExceeded)) throw error
    }
    await progress.sleep(100, 'restart after the wipe')
  }
}

/** Reads the phone's data before the agent writes its files again. */
async function readTraces(
  transport: Transport,
  { baseline, simAllowed }: WipeParts,
  progress: Progress,
): Promise<{ checks: WipeCheck[]; baseline: Baseline }> {
  const known = baseline.get()
  const ask = (...args: string[]) => transport.shell(command(...args), progress)
  const storage = checkStorage(await ask('find', '/sdcard/', '-type', 'f'), known)
  const locale = checkDefault('locale', await ask('getprop', 'persist.sys.locale'), known)
  const timezone = checkDefault('timezone', await ask('getprop', 'persist.sys.timezone'), known)
  const checks = [
    checkPackages(await ask('cmd', 'package', 'list', 'packages', '-3')),
    checkAccounts(await ask('dumpsys', 'account')),
    storage.check,
    locale.check,
    timezone.check,
    checkOwnFiles(
      await ask('ls', '-A', '/data/local/tmp'),
      phoneFolder.slice(phoneFolder.lastIndexOf('/') + 1),
    ),
  ]
  const found: Record<string, string[]> = {}
  for (const trace of traces) {
    const result = await transport.shell(trace.command, progress)
    const read = checkTrace(trace, result, known?.traces[trace.name] ?? null)
    found[trace.name] = read.found
    checks.push(trace === sims && simAllowed ? allowed(read.check) : read.check)
  }
  if (simAllowed) checks.push(...(await checkSim(transport, progress)))
  return {
    checks,
    baseline: { locale: locale.value, timezone: timezone.value, files: storage.files, traces: found },
  }
}

/** Reads the clipboard, then checks that reading works, since a phone does not report an empty clipboard. */
async function readClipboard(
  control: ControlSocket | null,
  restarted: boolean,
  progress: Progress,
): Promise<WipeCheck> {
  if (!control) return checkClipboard(null, false, restarted)
  const before = await control.getClipboard(progress)
  return checkClipboard(before, await proveClipboard(control, progress), restarted)
}
