import type { Activity } from '../operator/client.js'
import type { Command } from '../commands.js'
import { table } from '../table.js'
import { olderHint, pageFrom } from '../values.js'

export const activityCommands: readonly Command[] = [
  {
    name: 'activity list',
    about: "Lists changes by a project's API keys, newest first. Typed text is not recorded.",
    words: [],
    flags: { project: 'ID', limit: '1-100', before: 'CURSOR' },
    required: ['project'],
    async run({ flags }, operator) {
      const page = await operator().activity({ project: String(flags['project']), ...pageFrom(flags) })
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
        'no changes recorded',
      )
      return { json: page, text: text + olderHint(page.next_before) }
    },
  },
]

const told = (summary: Activity['summary']): string =>
  Object.entries(summary)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' ')
