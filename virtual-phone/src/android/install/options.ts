/**
 * Options of `pm install`, `install-create` and `install-write`. Source of the names: AOSP
 * `PackageManagerShellCommand.makeInstallParams`.
 */

export interface InstallOptions {
  /** `-R`: refuse when the package is installed. */
  replace: boolean
  /** `-d`; `-r` is the default. */
  downgrade: boolean
  /** `-t` */
  testOnly: boolean
  /** `-g` */
  grantAll: boolean
  bypassLowTargetSdk: boolean
  dontKill: boolean
  /** `-p`: add to this installed package. */
  inherit: string | null
  /** `--pkg`: the only package that the session accepts. */
  onlyPackage: string | null
  /** `-i` */
  installer: string | null
  /** `-S` */
  sizeBytes: number | null
}

export class UnknownOption extends Error {}

const withValue = new Set([
  '--user',
  '--originating-uri',
  '--referrer',
  '--abi',
  '--install-location',
  '--install-reason',
  '--package-source',
  '--staged-ready-timeout',
  '--update-ownership',
])
const passedOver = new Set([
  '-r',
  '-f',
  '--full',
  '--force-queryable',
  '--force-uuid',
  '--skip-verification',
  '--enable-rollback',
  '--restrict-permissions',
  '--no-wait',
])

/**
 * Parses options. `rest`: the arguments after the options, which include a single `-`.
 * @throws UnknownOption
 */
export function parseInstallOptions(args: readonly string[]): { options: InstallOptions; rest: string[] } {
  const options: InstallOptions = {
    replace: true,
    downgrade: false,
    testOnly: false,
    grantAll: false,
    bypassLowTargetSdk: false,
    dontKill: false,
    inherit: null,
    onlyPackage: null,
    installer: null,
    sizeBytes: null,
  }
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!arg.startsWith('-') || arg === '-') break
    if (arg === '-R') options.replace = false
    else if (arg === '-d') options.downgrade = true
    else if (arg === '-t') options.testOnly = true
    else if (arg === '-g') options.grantAll = true
    else if (arg === '--bypass-low-target-sdk-block') options.bypassLowTargetSdk = true
    else if (arg === '--dont-kill') options.dontKill = true
    else if (arg === '-p') options.inherit = args[++at] ?? ''
    else if (arg === '--pkg') options.onlyPackage = args[++at] ?? ''
    else if (arg === '-i') options.installer = args[++at] ?? ''
    else if (arg === '-S') options.sizeBytes = sizeOf(args[++at])
    else if (withValue.has(arg)) at += 1
    else if (!passedOver.has(arg)) throw new UnknownOption(`Unknown option ${arg}`)
  }
  return { options, rest: args.slice(at) }
}

function sizeOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new UnknownOption(`Unknown option -S`)
  return Number(text)
}
