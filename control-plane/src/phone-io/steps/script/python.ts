/** Writes steps as a program of the Python SDK. Pure. */
import { type Action } from '@phonerack/shared'
import { type Call, type Planned } from './plan.js'
import { type ScriptForm, type ScriptHead } from './script.js'
import { isPoint, type ScriptTarget } from './targets.js'
import { comment, pythonLiteral } from './text.js'
import { waitSeconds } from './typescript.js'

export const python: ScriptForm = {
  head,
  lines,
  indent: '    ',
  foot: ['finally:', '    if given is None:', '        phone.park()'],
}

function head({ phoneId, sessionId, variables, isCut }: ScriptHead): string[] {
  return [
    `# Repeats session ${comment(sessionId)} of phone ${comment(phoneId)} without a model.`,
    '# Run it with PHONERACK_BASE_URL and PHONERACK_API_KEY in the environment. The argument is the ID of a phone;',
    '# without it, a new phone is created, and parked at the end.',
    ...variables.map(({ name, note }) => `# ${name}: ${comment(note)}`),
    ...(isCut ? ['# The session has more steps than this script.'] : []),
    'import os',
    'import sys',
    '',
    'from phonerack import Phonerack',
    '',
    '# Seconds to wait for an element.',
    `WAIT = ${waitSeconds}`,
    ...variables.map(({ name }) => `${name} = os.environ["${name}"]`),
    '',
    'phonerack = Phonerack()',
    'given = sys.argv[1] if len(sys.argv) > 1 else None',
    'phone = phonerack.phones.create() if given is None else phonerack.phones.get(given)',
    'try:',
    '    pass',
  ]
}

function lines(planned: Planned): string[] {
  if (planned.kind === 'step') return ['', `# Step ${comment(planned.note)}`]
  if (planned.kind === 'note') return [`# ${comment(planned.note)}`]
  const { call, notes, isDisabled } = planned
  const code = calls(call).map((each) => `phone.${each}`)
  return [
    ...notes.map((note) => `# ${comment(note)}`),
    ...(isDisabled ? code.map((each) => `# ${each}`) : code),
  ]
}

const isWaitable = (target: ScriptTarget | undefined): target is ScriptTarget =>
  target !== undefined && !isPoint(target)

/** The arguments by name, without undefined arguments. */
const named = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${pythonLiteral(value)}`],
  )

const wait = 'timeout=WAIT'

/** Methods of the SDK's `Phone`. An action with a field that its method lacks is sent as JSON. */
function calls(call: Call): string[] {
  const { action, targets, text } = call
  const { target, from, to } = targets
  const waits = isWaitable(target) ? [wait] : []
  const made = (method: string, ...args: readonly string[]): string => `${method}(${args.join(', ')})`
  switch (action.type) {
    case 'tap':
    case 'double_tap':
      return [made(action.type, ...named({ ...target }), ...waits)]
    case 'long_press':
      return [made('long_press', ...named({ ...target, duration: action.duration_ms / 1000 }), ...waits)]
    case 'type': {
      const given = text && 'variable' in text ? text.variable : pythonLiteral(text?.kept ?? '')
      const flags = { into: target, clear: action.clear || undefined, submit: action.submit || undefined }
      return [made('type_text', given, ...named(flags), ...waits)]
    }
    case 'clear':
      return [made('clear', ...(target ? [pythonLiteral(target)] : []), ...waits)]
    case 'key':
      return [
        made(
          'press',
          pythonLiteral(action.key),
          ...(action.modifiers.length > 0 ? [pythonLiteral(action.modifiers)] : []),
        ),
      ]
    case 'back':
    case 'home':
      return [made(action.type)]
    case 'swipe':
      return [
        ...waitsFor(from, to),
        made(
          'swipe',
          pythonLiteral(from),
          pythonLiteral(to),
          ...named({ duration: action.duration_ms / 1000 }),
        ),
      ]
    case 'scroll':
      return [
        ...waitsFor(target),
        made('scroll', pythonLiteral(action.direction), ...named({ within: target, amount: action.amount })),
      ]
    case 'scroll_to':
      return [
        made(
          'scroll_to',
          ...named({ ...target, direction: action.direction, max_scrolls: action.max_scrolls }),
        ),
      ]
    case 'open_app':
      return [
        made(
          'open_app',
          ...(action.package === undefined ? [] : [pythonLiteral(action.package)]),
          ...named({ label: action.label, activity: action.activity }),
        ),
      ]
    case 'close_app':
      return [made('close_app', pythonLiteral(action.package))]
    case 'open_url':
      return [made('open_url', pythonLiteral(action.url))]
    case 'wait_for':
      return [
        made('wait_for', ...named({ ...target, timeout: action.timeout_ms / 1000, state: action.state })),
      ]
    default:
      return sent(call)
  }
}

/** Writes a wait for each target element. */
const waitsFor = (...targets: readonly (ScriptTarget | undefined)[]): string[] =>
  targets.filter(isWaitable).map((target) => `wait_for(${[...named({ ...target }), wait].join(', ')})`)

function sent({ action, targets }: Call): string[] {
  const whole: Action = { ...action, ...targets } as Action
  return [
    ...waitsFor(targets.target, targets.from, targets.to),
    `act([${pythonLiteral(whole)}], observe="none")`,
  ]
}
