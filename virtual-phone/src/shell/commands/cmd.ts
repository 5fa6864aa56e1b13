/** `cmd SERVICE …`, and the small commands that only pass on to a service: svc, locksettings, device_config, appops, ime, service. */
import { decode, encode } from '../bytes.js'
import { type CommandIo, type CommandRun, type CommandTable, UsageError } from '../command.js'
import { serviceInterfaces, serviceNames } from './services.js'

/** Called with the arguments behind the service's name. */
type ServiceCommand = (io: CommandIo, args: readonly string[]) => number | Promise<number>

async function unknown(io: CommandIo, verb: string): Promise<number> {
  await io.err(`Unknown command: ${verb}\n`)
  return 255
}

async function lockSettings(io: CommandIo, args: readonly string[]): Promise<number> {
  const { android } = io
  const [verb = '', value = ''] = args
  switch (verb) {
    case 'get-disabled':
      await io.out(`${android.lockDisabled}\n`)
      return 0
    case 'set-disabled':
      android.lockDisabled = value === 'true'
      android.changed()
      await io.out(`Lock screen disabled set to ${android.lockDisabled}\n`)
      return 0
    case 'verify':
      await io.out('Lock credential verified successfully\n')
      return 0
    case 'clear':
      await io.out('Lock credential cleared\n')
      return 0
    case 'set-pin':
    case 'set-password':
    case 'set-pattern':
      await io.err('This phone is made of software and takes no lock credential\n')
      return 255
    default:
      return unknown(io, verb)
  }
}

async function deviceConfig(io: CommandIo, args: readonly string[]): Promise<number> {
  const { deviceConfig: table } = io.android
  const [verb = '', namespace = '', key = '', value] = args.map(decode)
  const name = `${namespace}/${key}`
  switch (verb) {
    case 'get':
      await io.out(encode(`${table.get(name) ?? 'null'}\n`))
      return 0
    case 'put':
      if (value === undefined) break
      table.set(name, value)
      io.android.changed()
      return 0
    case 'delete':
      await io.out(
        table.delete(name)
          ? `Successfully deleted ${key} from ${namespace}\n`
          : `Failed to delete ${key} from ${namespace}\n`,
      )
      io.android.changed()
      return 0
    case 'list':
      for (const [entry, text] of table) {
        if (namespace === '' || entry.startsWith(`${namespace}/`))
          await io.out(encode(`${namespace === '' ? entry : entry.slice(namespace.length + 1)}=${text}\n`))
      }
      return 0
    case 'set_sync_disabled_for_tests':
      table.set('/sync_disabled', namespace)
      io.android.changed()
      return 0
    case 'get_sync_disabled_for_tests':
      await io.out(`${table.get('/sync_disabled') ?? 'none'}\n`)
      return 0
    case 'is_sync_disabled_for_tests':
      await io.out(`${(table.get('/sync_disabled') ?? 'none') !== 'none'}\n`)
      return 0
  }
  await io.err('Bad arguments\n')
  return 255
}

async function appOps(io: CommandIo, args: readonly string[]): Promise<number> {
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

async function alarm(io: CommandIo, args: readonly string[]): Promise<number> {
  const [verb = '', zone = ''] = args
  if (verb !== 'set-timezone') return unknown(io, verb)
  if (isTimeZone(zone)) io.android.setTimeZone(zone)
  return 0
}

/** As Android: an id that it does not know changes nothing, and says nothing. */
function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

async function testHarness(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] !== 'enable' && args[0] !== 'restore') {
    await io.out(
      'About:\n  Test Harness Mode is a mode that the device can be placed in to prepare\n  the device for running UI tests. The device is placed into this mode by\n  first wiping all data from the device, preserving ADB keys.\n',
    )
    return args.length === 0 || args[0] === 'help' ? 0 : 255
  }
  io.android.restart(true)
  return 0
}

async function uiMode(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  const [verb, value] = args
  if (verb !== 'night') return unknown(io, verb ?? '')
  const modes: Readonly<Record<string, string>> = { yes: '2', no: '1', auto: '0' }
  const mode = modes[value ?? '']
  if (value !== undefined && mode === undefined) {
    await io.err(`Error: mode must be 'yes', 'no', or 'auto'\n`)
    return 255
  }
  if (mode !== undefined) settings.put('secure', 'ui_night_mode', mode)
  const current = Object.entries(modes).find(
    ([, stored]) => stored === settings.get('secure', 'ui_night_mode'),
  )
  await io.out(`Night mode: ${current?.[0] ?? 'no'}\n`)
  return 0
}

function statusBar(io: CommandIo, args: readonly string[]): number | Promise<number> {
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

async function inputMethod(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  const current = settings.get('secure', 'default_input_method') ?? ''
  const [verb = '', ...rest] = args
  switch (verb) {
    case 'list':
      await io.out(
        rest.includes('-s')
          ? `${current}\n`
          : `${current}:\n  mId=${current} mSettingsActivityName=null mIsVrOnly=false\n  mIsDefaultResId=0x0\n`,
      )
      return 0
    case 'set':
    case 'enable': {
      const id = rest.at(-1) ?? ''
      if (id !== current) {
        await io.err(
          `Unknown input method ${id} cannot be ${verb === 'set' ? 'selected' : 'enabled'} for user #0\n`,
        )
        return 255
      }
      await io.out(
        verb === 'set'
          ? `Input method ${id} selected for user #0\n`
          : `Input method ${id}: already enabled for user #0\n`,
      )
      return 0
    }
    case 'reset':
      await io.out(`Reset current and enabled IMEs for user #0\n  Selected: ${current}\n`)
      return 0
    default:
      return unknown(io, verb)
  }
}

async function wifi(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  if (args[0] === 'status') {
    const on = settings.get('global', 'wifi_on') === '1'
    await io.out(
      `Wifi is ${on ? 'enabled' : 'disabled'}\nWifi scanning is only available when wifi is enabled\n`,
    )
    if (on) await io.out('==== Primary ClientModeManager instance ====\nWifi is not connected\n')
    return 0
  }
  if (args[0] !== 'set-wifi-enabled') return unknown(io, args[0] ?? '')
  settings.put('global', 'wifi_on', args[1] === 'enabled' ? '1' : '0')
  return 0
}

async function deviceIdle(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] === 'get') {
    await io.out('ACTIVE\n')
    return 0
  }
  if (args[0] !== 'whitelist') return unknown(io, args[0] ?? '')
  for (const name of args.slice(1)) {
    if (/^[+=-]/.test(name)) await io.err(`Unknown package: ${name.slice(1)}\n`)
  }
  return 0
}

async function user(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] === 'list') await io.out('Users:\n\tUserInfo{0:Owner:4c13} running\n')
  else if (args[0] === 'is-user-visible') await io.out('true\n')
  else return unknown(io, args[0] ?? '')
  return 0
}

async function power(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] === 'reboot' || args[0] === 'shutdown') return unknown(io, args[0])
  if (args[0] === 'set-mode' || args[0] === 'set-adaptive-power-saver-enabled') return 0
  return unknown(io, args[0] ?? '')
}

async function display(io: CommandIo, args: readonly string[]): Promise<number> {
  if (args[0] !== 'get-displays') return unknown(io, args[0] ?? '')
  const { width, height, density } = io.android.world.display
  await io.out(
    `Displays:\nDisplay id 0: DisplayInfo{"Built-in Screen", displayId 0, real ${width} x ${height}, density ${density}}\n`,
  )
  return 0
}

/** Passes on to the command of that name. */
const through =
  (command: string): ServiceCommand =>
  (io, args) =>
    io.spawn([command, ...args])

const services: Readonly<Record<string, ServiceCommand>> = {
  activity: through('am'),
  alarm,
  appops: appOps,
  device_config: deviceConfig,
  deviceidle: deviceIdle,
  display,
  input: through('input'),
  input_method: inputMethod,
  lock_settings: lockSettings,
  package: through('pm'),
  power,
  settings: through('settings'),
  statusbar: statusBar,
  testharness: testHarness,
  uimode: uiMode,
  user,
  wifi,
  window: through('wm'),
}

const cmd: CommandRun = async (io) => {
  const [name = '', ...args] = io.args
  if (name === '-l') {
    await io.out(`Currently running services:\n${serviceNames.map((service) => `  ${service}\n`).join('')}`)
    return 0
  }
  const service = services[name]
  if (service !== undefined) return service(io, args)
  if (serviceNames.includes(name)) {
    // What Android's `Binder` answers for a service without a shell command, `clipboard` among them.
    await io.err('No shell command implementation.\n')
    return 0
  }
  await io.err(
    name === ''
      ? 'cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.\n'
      : `cmd: Can't find service: ${name}\n`,
  )
  return 20
}

const stayOn: Readonly<Record<string, string>> = {
  true: '15',
  false: '0',
  ac: '1',
  usb: '2',
  wireless: '4',
  dock: '8',
}

const svc: CommandRun = (io) => {
  const { settings } = io.android
  const [what, verb = '', value = ''] = io.args
  if (what === 'power' && verb === 'stayon' && stayOn[value] !== undefined) {
    settings.put('global', 'stay_on_while_plugged_in', stayOn[value])
    return 0
  }
  if (what === 'power' && (verb === 'reboot' || verb === 'shutdown')) {
    if (verb === 'shutdown') throw new UsageError('this phone cannot be switched off from inside')
    io.android.restart(false)
    return 0
  }
  const switches: Readonly<Record<string, string>> = {
    wifi: 'wifi_on',
    data: 'mobile_data',
    bluetooth: 'bluetooth_on',
  }
  const name = switches[what ?? '']
  if (name !== undefined && (verb === 'enable' || verb === 'disable')) {
    settings.put('global', name, verb === 'enable' ? '1' : '0')
    return 0
  }
  throw new UsageError(`${what ?? 'nothing'} ${verb}: Invalid arguments. Use 'svc help' for help`, 255)
}

const service: CommandRun = async (io) => {
  const [verb, name = ''] = io.args
  if (verb === 'list') {
    await io.out(`Found ${serviceNames.length} services:\n`)
    for (const [index, each] of serviceNames.entries())
      await io.out(`${index}\t${each}: [${serviceInterfaces[each] ?? ''}]\n`)
    return 0
  }
  if (verb === 'check') {
    await io.out(`Service ${name}: ${serviceNames.includes(name) ? 'found' : 'not found'}\n`)
    return 0
  }
  if (verb === 'call') {
    await io.err('service: this phone is made of software and answers no raw binder calls\n')
    return 10
  }
  await io.err('service: Unknown command\n')
  return 10
}

export const cmdCommands: CommandTable = {
  cmd,
  svc,
  service,
  locksettings: (io) => lockSettings(io, io.args),
  device_config: (io) => deviceConfig(io, io.args),
  appops: (io) => appOps(io, io.args),
  ime: (io) => inputMethod(io, io.args),
  content: async (io) => {
    await io.err('content: this phone is made of software and has no content providers\n')
    return 1
  },
}
