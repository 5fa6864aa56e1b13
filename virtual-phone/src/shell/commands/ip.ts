/**
 * `ip addr`: prints the phone's network interfaces. The phone has only loopback, and a wlan0 after a fault
 * joined it to a network. Format: iproute2.
 */
import { type CommandTable, UsageError } from '../command.js'

interface Address {
  family: 'inet' | 'inet6'
  text: string
  scope: string
}

interface Interface {
  index: number
  name: string
  flags: string
  link: string
  addresses: readonly Address[]
}

const loopback: Interface = {
  index: 1,
  name: 'lo',
  flags: '<LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000',
  link: 'link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00',
  addresses: [
    { family: 'inet', text: '127.0.0.1/8', scope: 'host lo' },
    { family: 'inet6', text: '::1/128', scope: 'host' },
  ],
}

const wireless = (address: string): Interface => ({
  index: 2,
  name: 'wlan0',
  flags: '<BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 3000',
  link: 'link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff',
  addresses: [{ family: 'inet', text: address, scope: 'global wlan0' }],
})

const lifetime = 'valid_lft forever preferred_lft forever'

export const ipCommands: CommandTable = {
  ip: async (io) => {
    const options = io.args.filter((arg) => arg.startsWith('-'))
    const [object = '', action = 'show', ...rest] = io.args.filter((arg) => !arg.startsWith('-'))
    const unknown = options.find((option) => !['-o', '-oneline', '-4', '-6'].includes(option))
    if (unknown !== undefined) throw new UsageError(`Option "${unknown}" is unknown, try "ip -help".`, 255)
    if (!/^a(?:d(?:d(?:r(?:ess)?)?)?)?$/.test(object))
      throw new UsageError(`Object "${object}" is unknown, try "ip help".`, 1)
    if (!['show', 'list', 'ls', 's'].includes(action))
      throw new UsageError(`Command "${action}" is unknown, try "ip address help".`, 255)
    const wanted = rest.filter((word) => word !== 'dev' && word !== 'up')[0]
    const { network } = io.android
    const all = network === null ? [loopback] : [loopback, wireless(network)]
    const chosen = all.filter(({ name }) => wanted === undefined || name === wanted)
    if (chosen.length === 0) throw new UsageError(`Device "${wanted ?? ''}" does not exist.`, 1)
    const oneLine = options.some((option) => option.startsWith('-o'))
    for (const each of chosen) {
      const addresses = each.addresses.filter(
        ({ family }) =>
          (!options.includes('-4') || family === 'inet') && (!options.includes('-6') || family === 'inet6'),
      )
      if (!oneLine) await io.out(`${each.index}: ${each.name}: ${each.flags}\n    ${each.link}\n`)
      for (const { family, text, scope } of addresses) {
        await io.out(
          oneLine
            ? `${each.index}: ${each.name}    ${family} ${text} scope ${scope}\\       ${lifetime}\n`
            : `    ${family} ${text} scope ${scope}\n       ${lifetime}\n`,
        )
      }
    }
    return 0
  },
}
