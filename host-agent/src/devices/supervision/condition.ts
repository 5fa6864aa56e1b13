/**
 * A phone's condition: battery, storage, app UIDs, lock. Read by one shell call every few minutes, and evaluated as
 * warnings with advice. Only reads: the lock is read from the system's own state, since an attempt to unlock counts as
 * a wrong attempt.
 */
import type { DeviceCondition, Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { parseLock, readLock } from '../../phone/lock/screens.js'

type Facts = Omit<DeviceCondition, 'checked_at' | 'warnings'>

interface ConditionRead extends Facts {
  /** Identifies the phone's boot; null when not reported. */
  bootId: string | null
}

const parts = {
  boot: command('cat', '/proc/sys/kernel/random/boot_id'),
  battery: command('dumpsys', 'battery'),
  storage: command('df', '-k', '/data'),
  lock: readLock,
  packages: command('pm', 'list', 'packages', '-U'),
} as const
type Part = keyof typeof parts

const mark = (part: string): string => `== phonerack ${part}`

const conditionCommand = sequence(
  ...Object.entries(parts).flatMap(([part, asked]) => [command('echo', mark(part)), asked]),
)

/** UIDs of apps: AOSP `Process.FIRST_APPLICATION_UID` to `LAST_APPLICATION_UID`, of the first user. */
const uids = { first: 10_000, last: 19_999 }

/** Parses the output of `conditionCommand`. Pure; unrecognised values are null. */
export function parseCondition(output: string): ConditionRead {
  const sections = new Map<string, string>()
  for (const section of output.split(/^== phonerack /m).slice(1)) {
    const end = section.indexOf('\n')
    sections.set(section.slice(0, end < 0 ? undefined : end).trim(), end < 0 ? '' : section.slice(end + 1))
  }
  const of = (part: Part): string => sections.get(part) ?? ''
  const tenths = numberIn(/^[ \t]*temperature: (-?\d+)/m, of('battery'))
  const boot = of('boot').trim()
  return {
    bootId: /^[\w-]{8,64}$/.test(boot) ? boot : null,
    battery_percent: percentOf(of('battery')),
    battery_celsius: tenths === null ? null : tenths / 10,
    ...storageOf(of('storage')),
    highest_app_uid: highestUid(of('packages')),
    lock_credential: parseLock(of('lock')),
  }
}

function numberIn(pattern: RegExp, text: string): number | null {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? null : Number(found)
}

function percentOf(text: string): number | null {
  const level = numberIn(/^[ \t]*level: (\d+)/m, text)
  const scale = numberIn(/^[ \t]*scale: (\d+)/m, text) ?? 100
  return level === null || scale === 0 ? null : Math.round((level / scale) * 100)
}

/** Parses the last line of `df -k`: blocks of 1 KiB in total, used, available. */
function storageOf(text: string): Pick<Facts, 'storage_free_bytes' | 'storage_total_bytes'> {
  const found = /\s(\d+)\s+(\d+)\s+(\d+)\s+\d+%\s+\S+\s*$/.exec(text)
  if (!found) return { storage_free_bytes: null, storage_total_bytes: null }
  return { storage_free_bytes: Number(found[3]) * 1024, storage_total_bytes: Number(found[1]) * 1024 }
}

function highestUid(text: string): number | null {
  const found = [...text.matchAll(/\suid:(\d+)/g)]
    .map(([, uid]) => Number(uid))
    .filter((uid) => uid >= uids.first && uid <= uids.last)
  return found.length === 0 ? null : Math.max(...found)
}

const limitsOf = { lowPercent: 20, hotCelsius: 45, freeShare: 0.1, freeBytes: 1e9, uidsLeft: 100 }

/** Conditions that an operator should act on. Pure; an unknown value gives no warning. */
export function warningsOf(facts: Facts): string[] {
  const warnings: string[] = []
  const { battery_percent: percent, battery_celsius: celsius, highest_app_uid: uid } = facts
  const { storage_free_bytes: free, storage_total_bytes: total } = facts
  if (percent !== null && percent < limitsOf.lowPercent)
    warnings.push(`the battery is at ${percent} %: check the charging (cable, port, hub)`)
  if (celsius !== null && celsius >= limitsOf.hotCelsius)
    warnings.push(
      `the battery is at ${celsius.toFixed(1)} °C: let the phone cool down, and check the battery for swelling`,
    )
  const full = total !== null && total > 0 && free !== null && free / total < limitsOf.freeShare
  if (full || (free !== null && free < limitsOf.freeBytes))
    warnings.push('the storage is nearly full: installs and writes of files will fail; a wipe frees storage')
  if (uid !== null && uids.last - uid < limitsOf.uidsLeft)
    warnings.push(
      `Android has assigned the app UID ${uid}, and the last app UID is ${uids.last}: installs will fail until the phone is restarted`,
    )
  if (facts.lock_credential === true)
    warnings.push(
      'a screen lock is set: the phone refuses to be wiped, and a restart does not help; remove the lock in the settings of the phone before the device is released',
    )
  return warnings
}

export interface ConditionWatch {
  /** Null when the condition has not been read yet. */
  readonly latest: DeviceCondition | null
  /** Reads the condition when a read is due. Returns true when a value changed. Only one read runs at a time. */
  readWhenDue(progress: Progress): Promise<boolean>
  /** Stores the lock state from another check. Returns true when it changed. */
  recordLock(isSet: boolean): boolean
}

/** @param everyMs milliseconds between reads */
export function watchCondition(
  transport: Transport,
  everyMs: number,
  now: () => Date = () => new Date(),
): ConditionWatch {
  let latest: DeviceCondition | null = null
  let readAt = -Infinity
  let isReading = false
  /** The highest app UID. Android assigns each UID once per boot, even after its app was uninstalled. */
  let highest: { bootId: string | null; uid: number } | null = null

  function remember({ bootId, highest_app_uid: uid }: ConditionRead): number | null {
    if (uid === null) return null
    const known = highest?.bootId === bootId ? highest.uid : 0
    highest = { bootId, uid: Math.max(known, uid) }
    return highest.uid
  }

  return {
    get latest() {
      return latest
    },
    recordLock(isSet) {
      if (!latest || latest.lock_credential === isSet) return false
      const facts = { ...latest, lock_credential: isSet }
      latest = { ...facts, checked_at: now().toISOString(), warnings: warningsOf(facts) }
      return true
    },
    async readWhenDue(progress) {
      if (isReading || performance.now() - readAt < everyMs) return false
      isReading = true
      try {
        const result = await transport.shell(conditionCommand, progress)
        readAt = performance.now()
        const { bootId, ...read } = parseCondition(result.stdout.toString('utf8'))
        const facts = { ...read, highest_app_uid: remember({ bootId, ...read }) }
        latest = { checked_at: now().toISOString(), ...facts, warnings: warningsOf(facts) }
        return true
      } finally {
        isReading = false
      }
    },
  }
}
