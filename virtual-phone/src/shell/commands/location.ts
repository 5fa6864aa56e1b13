/**
 * `cmd location` of Android 12 and newer (AOSP `LocationShellCommand`): enables and disables location, and adds test
 * providers. To add test providers, the shell needs the app op of mock locations, like any app.
 */
import { type CommandIo } from '../command.js'

const usage = `Location service commands:
  help or -h
    Print this help text.
  is-location-enabled [--user <USER_ID>]
    Gets the master location switch enabled state.
  set-location-enabled true|false [--user <USER_ID>]
    Sets the master location switch enabled state.
  providers
    The providers command is followed by a subcommand, as listed below:

    add-test-provider <PROVIDER> [--requiresNetwork] [--requiresSatellite]
      [--requiresCell] [--hasMonetaryCost] [--supportsAltitude]
      [--supportsSpeed] [--supportsBearing]
      [--powerRequirement <POWER_REQUIREMENT>]
      [--extraAttributionTags <TAG>,<TAG>,...]
      Add the given test provider.
    remove-test-provider <PROVIDER>
      Remove the given test provider.
    set-test-provider-enabled <PROVIDER> true|false
      Sets the given test provider enabled state.
    set-test-provider-location <PROVIDER> --location <LATITUDE>,<LONGITUDE>
      [--accuracy <ACCURACY>] [--time <TIME>]
      Set location for given test provider.
    send-extra-command <PROVIDER> <COMMAND>
      Sends the given extra command to the given provider.
`

async function refuse(io: CommandIo, error: string, words: string): Promise<number> {
  await io.err(`\nException occurred while executing '${io.args.join(' ')}':\n${error}: ${words}\n`)
  return 255
}

export async function location(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  const [verb = 'help', ...rest] = args
  switch (verb) {
    case 'is-location-enabled':
      await io.out(`${settings.get('secure', 'location_mode') !== '0'}\n`)
      return 0
    case 'set-location-enabled':
      settings.put('secure', 'location_mode', rest[0] === 'true' ? '3' : '0')
      return 0
    case 'providers':
      return providers(io, rest)
    case 'help':
    case '-h':
      await io.out(usage)
      return 0
    default:
      await io.out(`Unknown command: ${verb}\n`)
      return 255
  }
}

async function providers(
  io: CommandIo,
  [verb = '', name = '', ...options]: readonly string[],
): Promise<number> {
  const { testProviders, appOps } = io.android
  if (!/^(add|remove)-test-provider$|^set-test-provider-(enabled|location)$/.test(verb)) {
    await io.out(`Unknown command: ${verb}\n`)
    return 255
  }
  if (appOps.get('com.android.shell/MOCK_LOCATION') !== 'allow') {
    return refuse(
      io,
      'java.lang.SecurityException',
      'com.android.shell from uid 2000 not allowed to perform MOCK_LOCATION',
    )
  }
  if (verb === 'add-test-provider') testProviders.add(name)
  else if (verb === 'remove-test-provider') testProviders.remove(name)
  else if (!testProviders.has(name)) {
    return refuse(io, 'java.lang.IllegalArgumentException', `${name} provider is not a test provider`)
  } else if (verb === 'set-test-provider-enabled') testProviders.enable(name, options[0] === 'true')
  else {
    const at = options.indexOf('--location')
    const [latitude, longitude] = (options[at + 1] ?? '').split(',').map(Number)
    if (at < 0 || !isDegrees(latitude, 90) || !isDegrees(longitude, 180)) {
      return refuse(io, 'java.lang.IllegalArgumentException', 'Location value must be specified')
    }
    testProviders.set(name, { latitude, longitude })
  }
  return 0
}

const isDegrees = (value: number | undefined, most: number): value is number =>
  value !== undefined && Number.isFinite(value) && Math.abs(value) <= most
