import type { Activity } from '@phonerack/launcher/operator'
import type { Command } from '../commands.js'
import { table } from '../table.js'
import { UsageError } from '../usage-error.js'

export const activityCommands: readonly Command[] = [
  {
    name: 'activity list',
    about: "Lists what a project's keys changed, newest first. What people typed is not kept.",
    words: [],
    flags: { project: 'ID', limit: '1-100', before: 'CURSOR' },
    async run({ flags }, operator) {
      const { project, limit = '50', before } = flags
      if (typeof project !== 'string') throw new UsageError('--project ID is needed')
      if (typeof limit !== 'string' || !/^([1-9]\d?|100)$/.test(limit))
        throw new UsageError('--limit must be 1 to 100')
      const page = await operator().activity({
        project,
        limit: Number(limit),
        ...(typeof before === 'string' ? { before } : {}),
      })
      const text = table(
        page.data,
        [
          { title: 'AT', value: ({ at }) => at },
          { title: 'KEY', value: (each) => each.key_id },
          { title: 'REQUEST', value: (each) => `${each.method} ${each.route}` },
          { title: 'PHONE', value: (each) => each.phone_id },
          { title: 'ANSWER', value: (each) => [each.status, each.code].filter(Boolean).join(' ') },
          { title: 'MS', value: ({ ms }) => ms },
          { title: 'WITH', value: ({ summary }) => told(summary) },
        ],
        'nothing was changed yet',
      )
      const older = page.next_before === null ? '' : `\n\nOlder: --before ${page.next_before}`
      return { json: page, text: text + older }
    },
  },
]

const told = (summary: Activity['summary']): string =>
  Object.entries(summary)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' ')
