/** getprop, setprop and settings. */
import { namespaces } from '../../android/settings.js'
import { decode, encode } from '../bytes.js'
import { type CommandTable, UsageError } from '../command.js'

const settingsUsage = `Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
  delete [--user <USER_ID> | current] NAMESPACE KEY
  list [--user <USER_ID> | current] NAMESPACE

  NAMESPACE is one of {system, secure, global}, case-insensitive
`

export const propertyCommands: CommandTable = {
  getprop: async (io) => {
    const [name, fallback] = io.args
    const { properties } = io.android
    if (name === undefined) {
      for (const [key, value] of properties.all()) await io.out(`[${key}]: [${value}]\n`)
      return 0
    }
    const value = properties.get(name)
    await io.out(`${value === '' ? (fallback ?? '') : value}\n`)
    return 0
  },
  setprop: async (io) => {
    const [name, value] = io.args
    if (name === undefined || value === undefined) throw new UsageError('Need 2 arguments')
    if (value.length > 91 && !name.startsWith('ro.')) throw new UsageError(`value too long: ${value}`)
    if (io.android.properties.setByShell(name, value)) return 0
    await io.err(`Failed to set property '${name}' to '${value}'.\nSee dmesg for error reason.\n`)
    return 1
  },
  settings: async (io) => {
    const args = [...io.args]
    const at = args.indexOf('--user')
    if (at !== -1) args.splice(at, 2)
    const [verb = '', table = '', key, value] = args
    const namespace = namespaces.find((name) => name === table.toLowerCase())
    if (verb === 'help' || verb === '') {
      await io.out(settingsUsage)
      return 0
    }
    if (namespace === undefined) {
      await io.err(`Invalid namespace '${table}'\n${settingsUsage}`)
      return 255
    }
    const { settings } = io.android
    if (verb === 'list') {
      for (const [name, text] of settings.list(namespace)) await io.out(`${encode(name)}=${encode(text)}\n`)
      return 0
    }
    if (key === undefined) {
      await io.err(`Bad arguments\n${settingsUsage}`)
      return 255
    }
    if (verb === 'get') {
      await io.out(`${encode(settings.get(namespace, decode(key)) ?? 'null')}\n`)
      return 0
    }
    if (verb === 'delete') {
      await io.out(`Deleted ${settings.delete(namespace, decode(key)) ? 1 : 0} rows\n`)
      return 0
    }
    if (verb === 'put' && value !== undefined) {
      settings.put(namespace, decode(key), decode(value))
      return 0
    }
    await io.err(`Invalid command: ${verb}\n${settingsUsage}`)
    return 255
  },
}
