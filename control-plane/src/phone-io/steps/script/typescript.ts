/** Writes steps as a program of the TypeScript SDK, which is also valid JavaScript. Pure. */
import { actionSchemas, type Action } from '@phonerack/shared'
import { type Call, type Planned } from './plan.js'
import { type ScriptForm, type ScriptHead } from './script.js'
import { isPoint, type ScriptTarget } from './targets.js'
import { comment, literal } from './text.js'

/** Seconds that a script waits for an element. */
export const waitSeconds = 10

export const typescript: ScriptForm = {
  head,
  lines,
  indent: '  ',
  foot: ['} finally {', '  if (given === undefined) await phone.park()', '}'],
}

function head({ phoneId, sessionId, variables, isCut }: ScriptHead): string[] {
  const names = variables.map(({ name }) => name)
  return [
    `// Repeats session ${comment(sessionId)} of phone ${comment(phoneId)} without a model.`,
    '// Run it with PHONERACK_BASE_URL and PHONERACK_API_KEY in the environment. The argument is the ID of a phone;',
    '// without it, a new phone is created, and parked at the end.',
    ...variables.map(({ name, note }) => `// ${name}: ${comment(note)}`),
    ...(isCut ? ['// The session has more steps than this script.'] : []),
    "import { Phonerack } from '@phonerack/sdk'",
    '',
    '/** Milliseconds to wait for an element. */',
    `const wait = { timeout: ${waitSeconds * 1000} }`,
    ...(names.length > 0 ? [`const { ${names.join(', ')} } = process.env`] : []),
    ...names.map((name) => `if (${name} === undefined) throw new Error('${name} is missing')`),
    '',
    'const phonerack = new Phonerack()',
    'const given = process.argv[2]',
    'const phone = given === undefined ? await phonerack.phones.create() : await phonerack.phones.get(given)',
    'try {',
  ]
}

function lines(planned: Planned): string[] {
  if (planned.kind === 'step') return ['', `// Step ${comment(planned.note)}`]
  if (planned.kind === 'note') return [`// ${comment(planned.note)}`]
  const { call, notes, isDisabled } = planned
  const code = calls(call).map((each) => `await phone.${each}`)
  return [
    ...notes.map((note) => `// ${comment(note)}`),
    ...(isDisabled ? code.map((each) => `// ${each}`) : code),
  ]
}

const isWaitable = (target: ScriptTarget | undefined): target is ScriptTarget =>
  target !== undefined && !isPoint(target)

/** The options of a call as an object; empty options are omitted. */
function options(fields: Record<string, unknown>, more: readonly string[] = []): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${literal(value)}`],
  )
  const all = [...parts, ...more]
  return all.length === 0 ? '' : `, { ${all.join(', ')} }`
}

/**
 * Methods of the SDK's `Phone`. An action without a method, or with a field that its method lacks, is sent as
 * JSON.
 */
function calls(call: Call): string[] {
  const { action, targets, text } = call
  const { target, from, to } = targets
  const waited = target && isWaitable(target) ? ', wait' : ''
  const waits = isWaitable(target) ? ['...wait'] : []
  switch (action.type) {
    case 'tap':
      return [`tap(${literal(target)}${waited})`]
    case 'type': {
      const given = text && 'variable' in text ? text.variable : literal(text?.kept ?? '')
      const flags = { into: target, clear: action.clear || undefined, submit: action.submit || undefined }
      return [`type(${given}${options(flags, waits)})`]
    }
    case 'clear':
      return [target ? `clear(${literal(target)}${waited})` : 'clear()']
    case 'key':
      return action.modifiers.length === 0 ? [`press(${literal(action.key)})`] : sent(call)
    case 'back':
      return ['back()']
    case 'home':
      return ['home()']
    case 'swipe':
      if (action.duration_ms !== defaultSwipeMs) return sent(call)
      return [...waitsFor(from, to), `swipe(${literal(from)}, ${literal(to)})`]
    case 'scroll':
      return [
        ...waitsFor(target),
        `scroll(${literal(action.direction)}${options({ target, amount: action.amount })})`,
      ]
    case 'open_app':
      return [
        `openApp(${action.package === undefined ? `{ label: ${literal(action.label)} }` : literal(action.package)}${options({ activity: action.activity })})`,
      ]
    case 'close_app':
      return [`closeApp(${literal(action.package)})`]
    case 'open_url':
      return [`openUrl(${literal(action.url)})`]
    case 'wait_for':
      return [
        `waitFor(${literal(target)}, { timeout: ${action.timeout_ms}, state: ${literal(action.state)} })`,
      ]
    default:
      return sent(call)
  }
}

/** Milliseconds. */
const defaultSwipeMs = actionSchemas.swipe.shape.duration_ms.parse(undefined)

/** Writes a wait for each target element. */
const waitsFor = (...targets: readonly (ScriptTarget | undefined)[]): string[] =>
  targets.filter(isWaitable).map((target) => `waitFor(${literal(target)}, wait)`)

function sent({ action, targets }: Call): string[] {
  const whole: Action = { ...action, ...targets } as Action
  // A scroll needs no wait, since it searches for its target.
  const before = action.type === 'scroll_to' ? [] : waitsFor(targets.target, targets.from, targets.to)
  return [...before, `act([${literal(whole)}], { observe: 'none' })`]
}
