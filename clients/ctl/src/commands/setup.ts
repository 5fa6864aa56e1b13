import type { Command } from '../commands.js'
import { fields } from '../table.js'

export const setupCommands: readonly Command[] = [
  {
    name: 'setup approve',
    about:
      'Prints a one-time link to confirm the terminal that shows CODE. --project: the project of its key; optional if there is only one.',
    words: ['CODE'],
    flags: { project: 'ID' },
    async run({ words, flags }, operator) {
      const project = typeof flags['project'] === 'string' ? flags['project'] : undefined
      const link = await operator().approveSetup(words[0] ?? '', project)
      const text = fields([
        ['Project', `${link.project_name} (${link.project})`],
        ['Client', link.client ?? 'not given'],
        ['Address', link.address],
        ['Asked', link.created_at],
      ])
      return {
        json: link,
        text: `${text}\n\nOpen this link before ${link.expires_at} and allow or deny the terminal. It works once:\n\n  ${link.url}`,
      }
    },
  },
  {
    name: 'setup deny',
    about: 'Denies the terminal that shows CODE.',
    words: ['CODE'],
    flags: {},
    async run({ words }, operator) {
      const setup = await operator().denySetup(words[0] ?? '')
      return { json: setup, text: `The terminal at ${setup.address} does not receive a key.` }
    },
  },
]
