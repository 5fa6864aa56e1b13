/** The devices of a command: the devices that its words name, or all devices of a host with `--all --host`. */
import type { Device, OperatorClient } from './operator/client.js'
import type { Flag, Input } from './commands.js'
import { UsageError } from './usage-error.js'

export const whichFlags = { all: true, host: 'NAME|ID' } as const satisfies Record<string, Flag>

/**
 * IDs or serials. @param fits chooses among the devices of the host @throws UsageError for a command without a device,
 * or with both forms
 */
export async function devicesFrom(
  { words, flags: { all, host } }: Pick<Input, 'words' | 'flags'>,
  client: OperatorClient,
  fits: (device: Device) => boolean,
): Promise<string[]> {
  if (all !== true && host === undefined) {
    if (words.length === 0) throw new UsageError('name devices by ID or serial, or use --all --host NAME|ID')
    return [...new Set(words)]
  }
  if (all !== true || typeof host !== 'string' || words.length > 0)
    throw new UsageError('use either IDs and serials, or --all with --host NAME|ID')
  const there = (await client.devices()).filter(({ host_id: id, host_name: name }) =>
    [id, name].includes(host),
  )
  const hosts = new Set(there.map(({ host_id: id }) => id))
  if (hosts.size > 1)
    throw new UsageError(`${hosts.size} hosts have the name ${host}; use one of ${[...hosts].join(', ')}`)
  const chosen = there.filter(fits).map(({ id }) => id)
  if (chosen.length === 0)
    throw new UsageError(`the host ${host} has no such device; see ./scripts/ctl device list`)
  return chosen
}
