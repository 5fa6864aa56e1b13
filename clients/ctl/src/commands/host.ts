import type { Command } from '../commands.js'
import type { Host } from '@phonerack/launcher/operator'
import { fields, table } from '../table.js'
import { UsageError } from '../usage-error.js'

export const hostCommands: readonly Command[] = [
  {
    name: 'host list',
    about: 'Lists the rack machines that hold phones.',
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
          { title: 'PROBLEM', value: (host) => host.report_fault },
        ],
        'no hosts have joined',
      )
      return { json: { data: hosts }, text }
    },
  },
  {
    name: 'host show',
    about: 'Shows one host, its agent, and the unreadable parts of its reports.',
    words: ['NAME|ID'],
    flags: {},
    async run({ words }, operator) {
      const ref = words[0] ?? ''
      const hosts = (await operator().hosts()).filter(({ id, name }) => id === ref || name === ref)
      const [host] = hosts
      if (!host) throw new UsageError(`host ${ref} does not exist; see ./scripts/ctl host list`)
      if (hosts.length > 1) throw new UsageError(`${hosts.length} hosts have the name ${ref}; use the ID`)
      return { json: host, text: describeHost(host) }
    },
  },
]

const describeHost = (host: Host): string =>
  fields([
    ['ID', host.id],
    ['Name', host.name],
    ['Country', host.country],
    ['State', host.state],
    ['Address', host.address],
    ['Agent version', host.version],
    ['Protocol version', host.protocol_version],
    ['Last seen', host.last_seen_at],
    ['Problem', host.report_fault],
  ])
