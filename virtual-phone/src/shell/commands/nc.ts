/**
 * `nc HOST PORT` of toybox. The command fails, since the phone has no network, except for the addresses that a fault
 * allows.
 */
import { type CommandTable, UsageError } from '../command.js'
import { parseOptions } from './options.js'

export const ncCommands: CommandTable = {
  nc: (io) => {
    const { operands, values } = parseOptions(io, '46n', 'wWpqs')
    // toybox requires `q#<1`: at least 1.
    if (Number(values['q'] ?? 1) < 1) throw new UsageError('-q < 1 (see "nc --help")')
    const [host, port, ...more] = operands
    if (host === undefined || port === undefined || more.length > 0)
      throw new UsageError('Needs an address and a port')
    if (io.android.reachable.includes(`${host}:${port}`)) return Promise.resolve(0)
    throw new UsageError('connect: Network is unreachable')
  },
}
