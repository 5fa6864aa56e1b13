import type { AuditEntry } from '../operator/client.js'
import type { Command } from '../commands.js'
import { table } from '../table.js'
import { olderHint, pageFrom } from '../values.js'

export const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    about:
      'Lists changes by operators, newest first: the operator, the address, and the values before and after.',
    words: [],
    flags: { limit: '1-100', before: 'CURSOR' },
    async run({ flags }, operator) {
      const page = await operator().audit(pageFrom(flags))
      const text = table(
        page.data,
        [
          { title: 'AT', value: ({ at }) => at },
          { title: 'WHO', value: (entry) => `${entry.token_name} (${entry.token_id})` },
          { title: 'FROM', value: ({ address }) => address },
          { title: 'ACTION', value: ({ action }) => action },
          { title: 'TARGET', value: ({ target }) => target },
          { title: 'CHANGE', value: changeOf },
        ],
        'no changes recorded',
      )
      return { json: page, text: text + olderHint(page.next_before) }
    },
  },
]

/** The fields that differ, as `name: before → after`. */
export function changeOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const told = (value: unknown): string => (value === undefined ? '-' : JSON.stringify(value))
  return names
    .filter((name) => told(before?.[name]) !== told(after?.[name]))
    .map((name) => `${name}: ${told(before?.[name])} → ${told(after?.[name])}`)
    .join(', ')
}
