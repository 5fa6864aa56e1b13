/** The output of the system services for `cmd SERVICE …`. Called by `cmd.ts`. */
import { findPackage } from '../../android/packages.js'
import { decode, encode } from '../bytes.js'
import type { CommandIo } from '../command.js'
import { getNotification, listNotifications, postNotification } from './dump-notification.js'
import { listWifiNetworks } from './dump-user-data.js'
import { parseComponent } from './intent.js'

/** Runs with the arguments after the service's name. */
export type ServiceCommand = (io: CommandIo, args: readonly string[]) => number | Promise<number>

async function unknown(io: CommandIo, verb: string): Promise<number> {
  await io.err(`Unknown command: ${verb}\n`)
  return 255
}

/**
 * On Android 14, `get-disabled` and `set-disabled` need no credential; the other commands need the current
 * credential.
 */
export async function lockSettings(io: CommandIo, args: readonly string[]): Promise<number> {
  const { android } = io
  const { old, rest } = withOld(args)
  const [verb = '', value = ''] = rest
  if (verb === 'get-disabled') {
    await io.out(`${android.lockDisabled && android.userData.pin === null}\n`)
    return 0
  }
  if (verb === 'set-disabled') {
    android.lockDisabled = value === 'true'
    android.changed()
    await io.out(`Lock screen disabled set to ${android.lockDisabled}\n`)
    return 0
  }
  const { pin } = android.userData
  if (!['verify', 'clear', 'set-pin', 'set-password', 'set-pattern'].includes(verb)) return unknown(io, verb)
  if (old !== (pin ?? '')) {
    const why =
      pin === null ? 'Old password provided but user has no password' : `Old password '${old}' didn't match`
    await io.out(`${why}\n`)
    return 255
  }
  if (verb === 'verify') await io.out('Lock credential verified successfully\n')
  else if (verb === 'clear') {
    android.userData.pin = null
    android.changed()
    await io.out('Lock credential cleared\n')
  } else if (verb === 'set-pin' && /^\d{4,17}$/.test(value)) {
    android.userData.pin = value
    android.changed()
    await io.out(`Pin set to '${value}'\n`)
  } else {
    await io.err('This phone is virtual and accepts only a PIN as lock credential\n')
    return 255
  }
  return 0
}

/** Removes `--old CREDENTIAL` and `--user N` from the arguments. */
function withOld(args: readonly string[]): { old: string; rest: string[] } {
  const rest = [...args]
  let old = ''
  for (let at = 1; at < rest.length;) {
    if (rest[at] === '--old') old = rest.splice(at, 2)[1] ?? ''
    else if (rest[at] === '--user') rest.splice(at, 2)
    else at++
  }
  return { old, rest }
}

export async function appOps(io: CommandIo, args: readonly string[]): Promise<number> {
  const { appOps: table } = io.android
  const at = args.indexOf('--user')
  const rest = at === -1 ? args : [...args.slice(0, at), ...args.slice(at + 2)]
  const [verb = '', name = '', op = '', mode = ''] = rest.filter((arg) => arg !== '--uid')
  const short = op.replace(/^android:/, '').toUpperCase()
  switch (verb) {
    case 'set':
      if (!['allow', 'ignore', 'deny', 'default', 'foreground'].includes(mode)) {
        await io.err(`Error: Mode ${mode} is not valid\n`)
        return 255
      }
      table.set(`${name}/${short}`, mode)
      io.android.changed()
      return 0
    case 'get': {
      const found = [...table].filter(([key]) =>
        op === '' ? key.startsWith(`${name}/`) : key === `${name}/${short}`,
      )
      for (const [key, value] of found) await io.out(`${key.slice(name.length + 1)}: ${value}\n`)
      if (found.length === 0) await io.out('No operations.\n')
      return 0
    }
    case 'reset':
      table.clear()
      io.android.changed()
      await io.out('Reset all modes.\n')
      return 0
    default:
      return unknown(io, verb)
  }
}

export async function alarm(io: CommandIo, args: readonly string[]): Promise<number> {
  const [verb = '', zone = ''] = args
  if (verb !== 'set-timezone') return unknown(io, verb)
  if (isTimeZone(zone)) io.android.setTimeZone(zone)
  return 0
}

/** An unknown ID is ignored without a message, as on Android. */
function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

export async function testHarness(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] !== 'enable' && args[0] !== 'restore') {
    await io.out(
      'About:\n  Test Harness Mode is a mode that the device can be placed in to prepare\n  the device for running UI tests. The device is placed into this mode by\n  first wiping all data from the device, preserving ADB keys.\n',
    )
    return args.length === 0 || args[0] === 'help' ? 0 : 255
  }
  if (io.android.userData.pin !== null) {
    await io.err('Test Harness Mode cannot be enabled if there is a lock screen\n')
    return 2
  }
  if (io.android.missing.has('testharness-with-accounts') && io.android.userData.accounts.length > 0) {
    await io.err('Test Harness Mode cannot be enabled if there are accounts\n')
    return 3
  }
  if (io.android.missing.has('testharness')) {
    // The answer of AOSP `TestHarnessModeService` without a `PersistentDataBlockManagerInternal`.
    await io.err('Failed to enable Test Harness Mode\n')
    return 1
  }
  io.android.restart(true)
  return 0
}

export function statusBar(io: CommandIo, args: readonly string[]): number | Promise<number> {
  const { world } = io.android
  switch (args[0]) {
    case 'expand-notifications':
    case 'expand-settings':
      world.expandNotifications()
      return 0
    case 'collapse':
      world.collapsePanels()
      return 0
    default:
      return unknown(io, args[0] ?? '')
  }
}

export async function wifi(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  if (args[0] === 'status') {
    const on = settings.get('global', 'wifi_on') === '1'
    await io.out(
      `Wifi is ${on ? 'enabled' : 'disabled'}\nWifi scanning is only available when wifi is enabled\n`,
    )
    if (on) await io.out('==== Primary ClientModeManager instance ====\nWifi is not connected\n')
    return 0
  }
  if (args[0] === 'list-networks') {
    await io.out(encode(listWifiNetworks(io.android)))
    return 0
  }
  if (args[0] === 'forget-network') return forgetNetwork(io, Number(args[1]))
  if (args[0] !== 'set-wifi-enabled') return unknown(io, args[0] ?? '')
  settings.put('global', 'wifi_on', args[1] === 'enabled' ? '1' : '0')
  return 0
}

async function forgetNetwork(io: CommandIo, id: number): Promise<number> {
  const { userData } = io.android
  userData.wifiNetworks = userData.wifiNetworks.filter((network) => network.id !== id)
  io.android.changed()
  await io.out('Forget successful\n')
  return 0
}

/** Runs a service that has no shell commands on this phone. */
export function noCommands(io: CommandIo, args: readonly string[]): Promise<number> {
  return unknown(io, args[0] ?? '')
}

export async function deviceIdle(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] === 'get') {
    await io.out('ACTIVE\n')
    return 0
  }
  if (args[0] !== 'whitelist') return unknown(io, args[0] ?? '')
  for (const each of args.slice(1)) {
    const name = decode(each.slice(1))
    if (!/^[+=-]/.test(each)) continue
    if (findPackage(io.android, name) === null) await io.err(`Unknown package: ${name}\n`)
    else await io.out(encode(`${each.startsWith('-') ? 'Removed' : 'Added'}: ${name}\n`))
  }
  return 0
}

/** Runs `list`, `get KEY`, `post …`, and listeners: `allow_listener COMPONENT`, `disallow_listener COMPONENT`. */
export async function notification(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings, installed } = io.android
  const [verb = '', component = ''] = args.map(decode)
  if (verb === 'list') return listNotifications(io)
  if (verb === 'get') return getNotification(io, component)
  if (verb === 'post') return postNotification(io, args.slice(1))
  if (verb !== 'allow_listener' && verb !== 'disallow_listener') return unknown(io, verb)
  const wanted = parseComponent(component)
  if (wanted === null) {
    await io.err('Invalid listener - must be a ComponentName\n')
    return 255
  }
  const exists = installed
    .find(wanted.package)
    ?.apk.services.some((service) => service.name === wanted.className)
  const name = `${wanted.package}/${wanted.className}`
  const others = (settings.get('secure', 'enabled_notification_listeners') ?? '')
    .split(':')
    .filter((each) => each !== '' && each !== name)
  // An unknown component is ignored without a message, as on Android.
  const now = verb === 'allow_listener' && exists === true ? [...others, name] : others
  settings.put('secure', 'enabled_notification_listeners', now.join(':'))
  return 0
}
