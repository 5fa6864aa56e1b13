/** Phones of all projects. An operator finds and deletes phones that hold a device without being used. */
import { plain } from '@phonerack/shared'
import type { OperatorPhone } from '../operator/client.js'
import type { Command } from '../commands.js'
import { each } from '../each.js'
import { fields, table } from '../table.js'
import { duration, olderHint, pageFrom } from '../values.js'

export const phoneCommands: readonly Command[] = [
  {
    name: 'phone list',
    about:
      'Lists the phones of all projects, newest first, without failed and deleted ones. --stopped-for: only phones whose last session ended at least that long ago.',
    words: [],
    flags: { project: 'ID', status: 'STATUS', 'stopped-for': '12h|7d', limit: '1-100', before: 'CURSOR' },
    async run({ flags }, operator) {
      const { project, status, 'stopped-for': stoppedFor } = flags
      const page = await operator().phones({
        ...pageFrom(flags),
        ...(typeof project === 'string' ? { project } : {}),
        ...(typeof status === 'string' ? { status } : {}),
        ...(stoppedFor === undefined ? {} : { stopped_for: duration('stopped-for', stoppedFor) }),
      })
      const text = table(
        page.data,
        [
          { title: 'ID', value: ({ id }) => id },
          { title: 'NAME', value: ({ name }) => name },
          { title: 'PROJECT', value: (phone) => phone.project_id },
          { title: 'STATUS', value: ({ status: now }) => now },
          { title: 'STOPPED', value: (phone) => phone.stopped_at },
          { title: 'DELETES', value: (phone) => phone.deletes_at },
          { title: 'DEVICE', value: (phone) => phone.device_id },
          { title: 'HOST', value: (phone) => phone.host_name },
        ],
        'no phones',
      )
      return { json: page, text: text + olderHint(page.next_before) }
    },
  },
  {
    name: 'phone show',
    about: 'Shows a phone of any project: its state, its device, and since when it is not used.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const phone = await operator().phone(words[0] ?? '')
      return { json: phone, text: describe(phone) }
    },
  },
  {
    name: 'phone delete',
    about:
      'Deletes phones of projects with their data. The projects get the event phone.deleted with the reason, which the audit log keeps too.',
    words: ['ID...'],
    flags: { reason: 'TEXT' },
    required: ['reason'],
    run({ words, flags }, operator) {
      const client = operator()
      return each(
        words,
        (id) => client.deletePhone(id, String(flags['reason'])),
        (phone) => `${phone.id} (${plain(phone.name)}) of ${phone.project_id} is ${phone.status}`,
      )
    },
  },
]

const describe = (phone: OperatorPhone): string =>
  fields([
    ['ID', phone.id],
    ['Name', phone.name],
    ['Project', `${phone.project_name} (${phone.project_id})`],
    ['Status', phone.status],
    ['When idle', phone.on_idle === 'delete' ? 'deletes itself' : 'parks'],
    ['Country', phone.country],
    ['Created', phone.created_at],
    ['Last active', phone.last_active_at],
    ['Stopped', phone.stopped_at],
    ['Deletes', phone.deletes_at],
    ['Device', phone.device_id === null ? null : `${phone.serial ?? ''} (${phone.device_id})`],
    ['Host', phone.host_id === null ? null : `${phone.host_name ?? ''} (${phone.host_id})`],
    ['Failure', phone.failure_message],
  ])
