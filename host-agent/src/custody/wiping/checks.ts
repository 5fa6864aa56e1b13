/**
 * Checks that prove a wipe. Each converts the result of a command to a verdict with evidence; an unreadable result fails. Pure.
 * Used by `wipe.ts`.
 */
import type { ShellResult } from '../../adb/shell-protocol.js'
import { redactOutput } from '../../base/redact.js'

import { outputOf } from '../../adb/device/run.js'

export interface WipeCheck {
  name: string
  passed: boolean
  evidence: string
}

/** The phone's state after its first verified wipe. Data in this state counts as the phone's default. */
export interface Baseline {
  locale: string
  timezone: string
  /** Files under `/sdcard` from the vendor. */
  files: string[]
  /** Findings by the name of the check in `traces.ts`. */
  traces: Record<string, string[]>
}

const check = (name: string, passed: boolean, evidence: string): WipeCheck => ({
  name,
  passed,
  evidence: evidence.slice(0, 500),
})

const unreadable = (name: string, result: ShellResult): WipeCheck =>
  check(name, false, `could not be read: exit code ${result.exitCode}, ${redactOutput(outputOf(result))}`)

const linesOf = (result: ShellResult): string[] =>
  result.stdout
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/**
 * Checks that the property and the file that marked the phone before the wipe are gone. `property`, `folder`: the
 * results of `getprop` and `ls`.
 */
export function checkMark(property: ShellResult, folder: ShellResult, fileName: string): WipeCheck {
  if (property.exitCode !== 0) return unreadable('mark_gone', property)
  const inProperty = property.stdout.toString('utf8').trim() !== ''
  // A missing folder contains no mark. An unreadable folder proves nothing.
  const missing = folder.exitCode !== 0 && /No such file/i.test(outputOf(folder))
  if (folder.exitCode !== 0 && !missing) return unreadable('mark_gone', folder)
  const inFile = linesOf(folder).includes(fileName)
  return check(
    'mark_gone',
    !inProperty && !inFile,
    `property ${inProperty ? 'still set' : 'gone'}, file ${inFile ? 'still there' : 'gone'}`,
  )
}

export function checkPackages(result: ShellResult): WipeCheck {
  if (result.exitCode !== 0) return unreadable('third_party_packages', result)
  const lines = linesOf(result)
  const packages = lines.filter((line) => line.startsWith('package:'))
  if (packages.length !== lines.length) return unreadable('third_party_packages', result)
  return check(
    'third_party_packages',
    packages.length === 0,
    packages.length === 0 ? 'none' : packages.map((line) => line.slice('package:'.length)).join(', '),
  )
}

/** `dumpsys account` prints `Accounts: N` for each user. */
export function checkAccounts(result: ShellResult): WipeCheck {
  const counts = [...result.stdout.toString('utf8').matchAll(/Accounts:\s*(\d+)/g)].map((match) =>
    Number(match[1]),
  )
  if (result.exitCode !== 0 || counts.length === 0) return unreadable('accounts', result)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return check('accounts', total === 0, `${total} accounts of ${counts.length} users`)
}

/** Files that Android itself creates on shared storage. */
const systemFile = /(^|\/)\.(nomedia|database_uuid|thumbcache_version)$|\/\.thumbnails\//

export function checkStorage(
  result: ShellResult,
  baseline: Baseline | null,
): { check: WipeCheck; files: string[] } {
  if (result.exitCode !== 0) return { check: unreadable('shared_storage', result), files: [] }
  const files = linesOf(result)
  const known = new Set(baseline?.files ?? [])
  const extra = baseline ? files.filter((file) => !systemFile.test(file) && !known.has(file)) : []
  return {
    check: check(
      'shared_storage',
      extra.length === 0,
      extra.length === 0
        ? `${files.length} files, all from before the first tenant`
        : `${extra.length} files, in ${foldersOf(extra)}`,
    ),
    files,
  }
}

/** Android's own folders, which the evidence may name. All other names are a tenant's. */
const standardFolder =
  /^\/sdcard\/+(Alarms|Android|Audiobooks|DCIM|Documents|Download|Movies|Music|Notifications|Pictures|Podcasts|Recordings|Ringtones)\//

function foldersOf(files: readonly string[]): string {
  const names = files.map((file) => standardFolder.exec(file)?.[1] ?? 'a folder with another name')
  return [...new Set(names)].toSorted().join(', ')
}

export function checkDefault(
  name: 'locale' | 'timezone',
  result: ShellResult,
  baseline: Baseline | null,
): { check: WipeCheck; value: string } {
  const value = result.stdout.toString('utf8').trim()
  if (result.exitCode !== 0) return { check: unreadable(name, result), value }
  const expected = baseline?.[name]
  return {
    value,
    check: check(
      name,
      expected === undefined || expected === value,
      expected === undefined
        ? `"${value}" after the first wipe: kept as this phone's default`
        : `"${value}", default "${expected}"`,
    ),
  }
}

/** The shell user's folder contains only the agent's folder. */
export function checkOwnFiles(result: ShellResult, ownFolder: string): WipeCheck {
  if (result.exitCode !== 0) return unreadable('shell_files', result)
  const others = linesOf(result).filter((name) => name !== ownFolder)
  return check(
    'shell_files',
    others.length === 0,
    others.length === 0 ? 'only files of Phonerack' : others.slice(0, 10).join(', '),
  )
}

/**
 * `before`: the clipboard's text; null when the phone did not answer. `readBack`: whether reading works. If reading
 * does not work, the restart proves that the clipboard is empty: Android stores it only in the memory of its system
 * process.
 */
export function checkClipboard(before: string | null, readBack: boolean, restarted: boolean): WipeCheck {
  if (before !== null && before !== '') return check('clipboard', false, `holds ${before.length} characters`)
  if (readBack) return check('clipboard', true, 'empty; reading it was proven by setting and reading a text')
  return restarted
    ? check(
        'clipboard',
        true,
        'cannot be read on this phone; Android keeps the clipboard in memory, and the phone restarted',
      )
    : check('clipboard', false, 'could not be read')
}
