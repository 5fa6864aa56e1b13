import { content } from './dump-cards.js'
import { location } from './location.js'
/** `cmd SERVICE …`, and the small commands that delegate to a service: svc, locksettings, appops, ime, service. */
import { type CommandRun, type CommandTable, UsageError } from '../command.js'
import {
  alarm,
  appOps,
  deviceIdle,
  lockSettings,
  noCommands,
  notification,
  statusBar,
  testHarness,
  wifi,
  type ServiceCommand,
} from './cmd-services.js'
import { inputMethod } from './ime.js'
import { serviceInterfaces, serviceNames } from './services.js'

/** Delegates to the command of that name. */
const through =
  (command: string): ServiceCommand =>
  (io, args) =>
    io.spawn([command, ...args])

const services: Readonly<Record<string, ServiceCommand>> = {
  accessibility: noCommands,
  activity: through('am'),
  alarm,
  appops: appOps,
  connectivity: noCommands,
  device_config: noCommands,
  device_policy: noCommands,
  deviceidle: deviceIdle,
  display: noCommands,
  input: through('input'),
  location,
  input_method: inputMethod,
  lock_settings: lockSettings,
  notification,
  package: through('pm'),
  power: noCommands,
  settings: through('settings'),
  statusbar: statusBar,
  testharness: testHarness,
  uimode: noCommands,
  user: noCommands,
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
    // The response of Android's `Binder` for a service without a shell command, such as `clipboard`.
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
    await io.err('service: this phone is virtual and answers no raw binder calls\n')
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
  appops: (io) => appOps(io, io.args),
  ime: (io) => inputMethod(io, io.args),
  content,
}
