import type { Command } from '../commands.js'
import { table } from '../table.js'

export const hostCommands: readonly Command[] = [
  {
    name: 'host list',
    about: 'Lists the machines that hold phones.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const hosts = await operator().hosts()
      const text = table(
        hosts,
        [
          { title: 'ID', value: (host) => host.id },
          { title: 'NAME', value: (host) => host.name },
          { title: 'COUNTRY', value: (host) => host.country },
          { title: 'STATE', value: (host) => host.state },
          {
            title: 'DEVICES',
            value: (host) => (Array.isArray(host.devices) ? host.devices.length : String(host.devices)),
          },
          { title: 'ADDRESS', value: (host) => host.address },
          { title: 'LAST SEEN', value: (host) => host.last_seen_at },
        ],
        'no host has joined',
      )
      return { json: { data: hosts }, text }
    },
  },
]
