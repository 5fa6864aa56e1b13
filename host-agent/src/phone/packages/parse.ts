/**
 * Parses Android's output about packages. Pure. Labels and version names are untrusted: they may contain any
 * text, and corrupt at most their own entry. Forms: AOSP `PackageManagerShellCommand` and
 * `Settings.dumpPackageLPr`, Android 8 to 16; scrcpy 3.3.3 `LogUtils.buildAppListMessage`. Used by
 * `packages.ts`, `labels.ts`.
 */

export interface ListedPackage {
  package: string
  /** Path of the app's base APK; each install gets a new path. */
  path: string
  versionCode: number
}

/** The phone's list is unreadable, so it does not prove that an app is missing. */
export class UnreadableList extends Error {
  constructor(line: string) {
    super(`a line of the package list cannot be parsed: ${JSON.stringify(line.slice(0, 200))}`)
    this.name = 'UnreadableList'
  }
}

const packageLine = /^package:(.*)=([A-Za-z0-9_.]+) versionCode:(\d{1,19})(?: .*)?$/

/** Parses the output of `cmd package list packages -f --show-versioncode`. @throws UnreadableList */
export function parsePackageList(text: string): ListedPackage[] {
  return packageLines(text).map((line) => {
    const [, path, name, versionCode] = packageLine.exec(line) ?? []
    if (path === undefined || name === undefined) throw new UnreadableList(line)
    return { package: name, path, versionCode: Number(versionCode) }
  })
}

/** Parses the output of `cmd package list packages`, which has only names. @throws UnreadableList */
export function parsePackageNames(text: string): Set<string> {
  return new Set(
    packageLines(text).map((line) => {
      const name = line.slice('package:'.length)
      if (!/^[A-Za-z0-9_.]+$/.test(name)) throw new UnreadableList(line)
      return name
    }),
  )
}

/** Skips the warnings that vendors' tools print. */
const packageLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('package:'))

/**
 * Parses version names by package from the section `Packages:` of `dumpsys package packages`. The section of hidden
 * system packages lists the versions that updates replaced. Null when the section is missing.
 */
export function parseVersionNames(dump: string): Map<string, string> | null {
  const names = new Map<string, string>()
  let section = ''
  let current: string | null = null
  let found = false
  for (const line of dump.split(/\r?\n/)) {
    if (/^\S/.test(line)) section = line.trim()
    if (section !== 'Packages:') continue
    found = true
    const [, name] = /^ {2}Package \[([A-Za-z0-9_.]+)\]/.exec(line) ?? []
    if (name !== undefined) {
      current = names.has(name) ? null : name
      continue
    }
    const [, version] = /^ {4}versionName=(.*)$/.exec(line) ?? []
    if (version === undefined || current === null) continue
    // Android prints `null` for a missing version name.
    names.set(current, version.trim() === 'null' ? '' : oneLine(version))
    current = null
  }
  return found ? names : null
}

/**
 * Parses labels by package from the scrcpy server's `list_apps`: `* Label        package`, or a long label on its own
 * line and the package on the next line.
 */
export function parseAppList(text: string): Map<string, string> {
  const labels = new Map<string, string>()
  let alone: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const start = line.trimStart()
    if (start === line) alone = null
    else if (start.startsWith('* ') || start.startsWith('- ')) {
      const [label, name] = splitLast(start.slice(2))
      alone = name === null ? label : null
      if (name !== null) labels.set(name, oneLine(label))
    } else {
      const name = start.trimEnd()
      if (alone !== null && isName(name)) labels.set(name, oneLine(alone))
      alone = null
    }
  }
  return labels
}

const isName = (word: string): boolean => /^[A-Za-z0-9_.]+$/.test(word)

/**
 * Splits off the last word when it can be a package. No regular expression is used, since a crafted label
 * could make it slow.
 */
function splitLast(text: string): [string, string | null] {
  const whole = text.trimEnd()
  const name = whole.slice(whole.lastIndexOf(' ') + 1)
  const label = whole.slice(0, whole.length - name.length).trimEnd()
  return label !== '' && name.includes('.') && isName(name) ? [label, name] : [whole, null]
}

const maxLength = 500

/** Converts a label or version to a single line of text. */
export function oneLine(text: string): string {
  return Array.from(text.replace(/\p{Cc}+/gu, ' ').trim())
    .slice(0, maxLength)
    .join('')
}

/**
 * Returns the result of a `pm` command: null for success, otherwise its error text, such as `INSTALL_FAILED_OLDER_SDK:
 * Requires newer sdk`.
 */
export function refusalOf(output: string): string | null {
  if (/^Success/m.test(output)) return null
  const from = output.indexOf('Failure [')
  const to = output.lastIndexOf(']')
  const words = from >= 0 && to > from ? output.slice(from + 'Failure ['.length, to) : output
  return oneLine(words) || 'the phone did not give a reason'
}
