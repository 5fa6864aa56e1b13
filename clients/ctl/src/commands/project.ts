import type { Project, ProjectChange } from '../operator/client.js'
import type { Command, Input } from '../commands.js'
import { fields, table } from '../table.js'
import { UsageError } from '../usage-error.js'
import { usd } from '../values.js'

export const projectCommands: readonly Command[] = [
  {
    name: 'project list',
    about: 'Lists the projects.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const projects = await operator().projects()
      const text = table(
        projects,
        [
          { title: 'ID', value: (project) => project.id },
          { title: 'NAME', value: (project) => project.name },
          { title: 'BALANCE USD', value: (project) => project.balance_usd },
          { title: 'RESERVED USD', value: (project) => project.reserved_usd },
          { title: 'FROZEN', value: (project) => project.frozen_at },
        ],
        'no projects',
      )
      return { json: { data: projects }, text }
    },
  },
  {
    name: 'project show',
    about: 'Shows a project: its money and limits.',
    words: ['ID'],
    flags: {},
    async run({ words }, operator) {
      const project = await operator().project(words[0] ?? '')
      return { json: project, text: describe(project) }
    },
  },
  {
    name: 'project create',
    about:
      'Creates a project with its first credit. --owner: projects with the same owner share a limit of running phones.',
    words: [],
    flags: { name: 'N', owner: 'O', credit: 'USD' },
    required: ['name'],
    async run({ flags }, operator) {
      const { name, owner, credit } = flags
      const project = await operator().createProject({
        name: String(name),
        ...(typeof owner === 'string' ? { owner } : {}),
        ...(credit === undefined ? {} : { credit_usd: usd('credit', credit, false) }),
      })
      return { json: project, text: describe(project) }
    },
  },
  {
    name: 'project set',
    about:
      'Adds credit, sets limits, freezes or unfreezes a project. --shell: its phones run shell commands or not. --steps…: records batches or not, and sets the recorded parts and the quota.',
    words: ['ID'],
    flags: {
      credit: 'USD',
      'spend-limit': 'USD',
      'max-phones': 'N',
      'max-running': 'N',
      'parked-limit': 'N|none',
      freeze: true,
      unfreeze: true,
      shell: 'on|off',
      steps: 'on|off',
      'steps-text': 'on|off',
      'steps-pictures': 'off|asked|every',
      'steps-quota': 'BYTES',
    },
    async run({ words, flags }, operator) {
      const project = await operator().changeProject(words[0] ?? '', changeFrom(flags))
      return { json: project, text: describe(project) }
    },
  },
]

/** @throws UsageError */
export function changeFrom(flags: Input['flags']): ProjectChange {
  if (flags['freeze'] && flags['unfreeze'])
    throw new UsageError('--freeze and --unfreeze cannot be used together')
  const change: ProjectChange = {}
  if (flags['credit'] !== undefined) change.credit_usd = usd('credit', flags['credit'], true)
  if (flags['spend-limit'] !== undefined)
    change.spend_limit_usd = usd('spend-limit', flags['spend-limit'], false)
  if (flags['max-phones'] !== undefined) change.max_phones = whole('max-phones', flags['max-phones'])
  if (flags['max-running'] !== undefined) change.max_running = whole('max-running', flags['max-running'])
  const parked = flags['parked-limit']
  if (parked !== undefined) change.parked_limit = parked === 'none' ? null : whole('parked-limit', parked)
  if (flags['freeze']) change.frozen = true
  if (flags['unfreeze']) change.frozen = false
  if (flags['shell'] !== undefined) change.shell = onOrOff('shell', flags['shell'])
  Object.assign(change, stepsFrom(flags))
  if (Object.keys(change).length === 0)
    throw new UsageError(
      'nothing to change: use --credit, --spend-limit, --max-phones, --max-running, --parked-limit, --freeze, --unfreeze, --shell or --steps…',
    )
  return change
}

const modes = ['off', 'asked', 'every'] as const

function stepsFrom(flags: Input['flags']): ProjectChange {
  const { steps, 'steps-text': text, 'steps-pictures': pictures, 'steps-quota': quota } = flags
  const mode = modes.find((each) => each === pictures)
  if (pictures !== undefined && mode === undefined)
    throw new UsageError(`--steps-pictures must be one of ${modes.join(', ')}, not ${String(pictures)}`)
  return {
    ...(steps === undefined ? {} : { steps: onOrOff('steps', steps) }),
    ...(text === undefined ? {} : { steps_text: onOrOff('steps-text', text) }),
    ...(mode === undefined ? {} : { steps_pictures: mode }),
    ...(quota === undefined ? {} : { steps_max_bytes: whole('steps-quota', quota, 12) }),
  }
}

function onOrOff(name: string, value: string | boolean): boolean {
  if (value !== 'on' && value !== 'off') throw new UsageError(`--${name} must be on or off`)
  return value === 'on'
}

function whole(name: string, value: string | boolean, digits = 9): number {
  const text = String(value)
  if (!/^\d+$/.test(text) || text.length > digits)
    throw new UsageError(`--${name} must be a whole number, not ${text}`)
  return Number(text)
}

const describe = (project: Project): string =>
  fields([
    ['ID', project.id],
    ['Name', project.name],
    ['Owner', project.owner_id],
    ['Balance', `${project.balance_usd} USD`],
    ['Reserved', `${project.reserved_usd} USD`],
    ['Spend limit', `${project.spend_limit_usd} USD a month`],
    ['Maximum phones', project.max_phones],
    ['Maximum running', project.max_running],
    ['Maximum parked', project.parked_limit ?? 'no limit'],
    ['Frozen', project.frozen_at ?? 'no'],
    ['Shell', project.shell === false ? 'off' : 'on, where the host allows it'],
    ['Steps', stepsWords(project)],
  ])

function stepsWords({
  steps,
  steps_text: text,
  steps_pictures: pictures,
  steps_max_bytes: quota,
}: Project): string {
  if (!steps) return 'off'
  return `on, typed text ${text ? 'kept' : 'left out'}, pictures ${pictures}, at most ${quota} bytes`
}
