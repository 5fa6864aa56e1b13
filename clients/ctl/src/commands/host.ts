import type { Command, Input } from '../commands.js'
import { plain } from '@phonerack/shared'
import type { Host, HostChange, RetiredHost } from '../operator/client.js'
import { certificateOf, certificateWarnings } from './certificate.js'
import { each } from '../each.js'
import { fields, table } from '../table.js'
import { serviceOf } from './drain.js'
import { rotationLines, trustOf } from './trust.js'
import { UsageError } from '../usage-error.js'

export const hostCommands: readonly Command[] = [
  {
    name: 'host list',
    about: 'Lists the rack machines that hold phones. --all: retired ones too.',
    words: [],
    flags: { all: true },
    async run({ flags: { all } }, operator) {
      const hosts = await operator().hosts(all === true)
      const text = table(
        hosts,
        [
          { title: 'ID', value: (host) => host.id },
          { title: 'NAME', value: (host) => host.name },
          { title: 'COUNTRY', value: (host) => host.country },
          ...(hosts.some((host) => labelsOf(host) !== '') ? [{ title: 'LABELS', value: labelsOf }] : []),
          { title: 'STATE', value: (host) => host.state },
          {
            title: 'DEVICES',
            value: (host) => (Array.isArray(host.devices) ? host.devices.length : String(host.devices)),
          },
          { title: 'RUNNING', value: (host) => host.running },
          { title: 'SERVICE', value: serviceOf },
          { title: 'CERTIFICATE', value: (host) => certificateOf(host, new Date()) },
          ...(hosts.some((host) => host.authority_rotation)
            ? [{ title: 'TRUST', value: (host: Host) => trustOf(host) }]
            : []),
          { title: 'ADDRESS', value: (host) => host.address },
          { title: 'LAST SEEN', value: (host) => host.last_seen_at },
          { title: 'PROBLEM', value: (host) => problemOf(host) },
        ],
        'no hosts have joined',
      )
      return {
        json: { data: hosts },
        text: [text, ...certificateWarnings(hosts, new Date()), ...rotationLines(hosts)].join('\n\n'),
      }
    },
  },
  {
    name: 'host show',
    about: 'Shows one host, its agent, and the unreadable parts of its reports.',
    words: ['NAME|ID'],
    flags: {},
    async run({ words }, operator) {
      const ref = words[0] ?? ''
      const hosts = (await operator().hosts(true)).filter(
        ({ id, name, state }) => id === ref || (name === ref && state !== 'retired'),
      )
      const [host] = hosts
      if (!host) throw new UsageError(`host ${ref} does not exist; see ./scripts/ctl host list`)
      if (hosts.length > 1) throw new UsageError(`${hosts.length} hosts have the name ${ref}; use the ID`)
      return { json: host, text: describeHost(host) }
    },
  },
  {
    name: 'host set',
    about:
      'Changes the name, the country or labels of a host. A changed country counts for later creates. --label: KEY= removes a label.',
    words: ['NAME|ID'],
    flags: { name: 'NAME', country: 'CC', label: 'KEY=VALUE,…' },
    async run({ words, flags }, operator) {
      const host = await operator().changeHost(words[0] ?? '', hostChangeFrom(flags))
      return { json: host, text: describeHost(host) }
    },
  },
  {
    name: 'host token',
    about: 'Creates a token with which a new machine joins once, within an hour.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const token = await operator().joinToken()
      const country = 'Add --country CC for the first host, and while the hosts are in several countries.'
      return { json: token, text: `${tokenText(token)}\n\n${country}` }
    },
  },
  {
    name: 'host rejoin',
    about:
      'Creates a join token with which a reinstalled machine gets the ID of its host again. When it is used, the earlier certificate is refused.',
    words: ['NAME|ID'],
    flags: {},
    async run({ words }, operator) {
      const token = await operator().rejoin(words[0] ?? '')
      return { json: token, text: `Host    ${token.host_id}\n${tokenText(token)}` }
    },
  },
  {
    name: 'host retire',
    about:
      'Ends a host for good: its certificate and reports are refused, and its phones can be enrolled at other hosts. --force: its phones fail and lose their data; without it, a host with phones is refused.',
    words: ['NAME|ID'],
    flags: { force: true },
    async run({ words, flags: { force } }, operator) {
      const host = await operator().retire(words[0] ?? '', force === true)
      return { json: host, text: retiredText(host) }
    },
  },
  {
    name: 'host remove',
    about: 'Takes retired hosts out of `host list --all`. Their certificates stay refused.',
    words: ['ID...'],
    flags: {},
    run({ words }, operator) {
      const client = operator()
      return each(
        words,
        (ref) => client.removeHost(ref),
        ({ id }) => `${id} is removed`,
      )
    },
  },
]

const retiredText = ({ name, id, phones }: RetiredHost): string =>
  `${plain(name)} (${id}) is retired. Phones that failed with it: ${phones}. Stop its agent.
Its phones trust the ADB key of its machine only: at another host they ask for that host's key on their screens. See "Retire a host" in docs/operations.md.`

const tokenText = ({ token, expires_at: expires }: { token: string; expires_at: string }): string =>
  `Token   ${token}
Expires ${expires}

It works once. On the machine, run this and paste the token:

  ./scripts/agent join --server https://CONTROL-PLANE --token-file -`

/** @throws UsageError */
export function hostChangeFrom({ name, country, label }: Input['flags']): HostChange {
  const change = {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof country === 'string' ? { country: country.toUpperCase() } : {}),
    ...(typeof label === 'string' ? { labels: Object.fromEntries(label.split(',').map(labelFrom)) } : {}),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('nothing to change: use --name, --country or --label')
  return change
}

function labelFrom(text: string): [string, string | null] {
  const [key = '', ...rest] = text.split('=')
  if (key === '' || rest.length === 0) throw new UsageError(`--label must be KEY=VALUE, not ${text}`)
  return [key, rest.join('=') || null]
}

const labelsOf = ({ labels = {} }: Host): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')

/** The most urgent problem of a host. */
const problemOf = (host: Host): string | null =>
  host.refuses ?? host.degraded ?? host.report_fault ?? host.problem ?? null

const describeHost = (host: Host): string =>
  fields([
    ['ID', host.id],
    ['Name', host.name],
    ['Country', host.country],
    ['Labels', labelsOf(host) || null],
    ['State', host.state],
    ['Address', host.address],
    ['Takes no new work', host.refuses ?? null],
    ['Degraded', host.degraded ?? null],
    ['Degraded until', host.degraded_until ?? null],
    ['Running phones', host.running],
    ['Service', serviceOf(host)],
    ['Certificate', certificateOf(host, new Date())],
    ['Trust', trustOf(host)],
    ['Retired', host.retired_at ?? null],
    ['Agent version', host.version],
    ['Protocol version', host.protocol_version],
    ['Last seen', host.last_seen_at],
    ['Problem', host.report_fault],
    ['Missing', host.problem ?? null],
  ])
