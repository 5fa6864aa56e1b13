/**
 * Names that models give to actions, keys and targets, taken from other tools for phones, browsers and computers.
 * `coerce` reads these names with the schemas of actions; `/v1` refuses them. A name with several meanings gets an
 * error that states the exact action. Pure.
 */
import {
  actionSchema,
  actionSchemas,
  elementTargetSchema,
  searchTargetSchema,
  targetSchema,
} from '@phonerack/shared'
import { isRecord, shapeOf } from '../../base/validation/issues.js'
import { alsoReads, Correction } from './coerce.js'

type Action = Record<string, unknown>

/** Converts `longPress`, `Long-Press` and `LONG_PRESS` to `long_press`. */
const snake = (name: string): string =>
  name
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

const typeNames: Readonly<Record<string, string>> = {
  click: 'tap',
  touch: 'tap',
  left_click: 'tap',
  tap_on: 'tap',

  double_click: 'double_tap',
  long_click: 'long_press',
  longpress: 'long_press',
  long_tap: 'long_press',
  input: 'type',
  input_text: 'type',
  type_text: 'type',
  enter_text: 'type',
  clear_text: 'clear',
  press_key: 'key',
  key_press: 'key',
  keypress: 'key',
  key_event: 'key',
  keyevent: 'key',
  press_back: 'back',
  go_back: 'back',
  press_home: 'home',
  go_home: 'home',
  recent_apps: 'recents',
  launch: 'open_app',
  launch_app: 'open_app',
  start_app: 'open_app',
  stop_app: 'close_app',
  open_link: 'open_url',
  navigate: 'open_url',
  sleep: 'wait',
}

const keyNames: Readonly<Record<string, string>> = {
  return: 'enter',
  numpad_enter: 'enter',
  backspace: 'del',
  esc: 'escape',
  spacebar: 'space',
  ' ': 'space',
  up: 'dpad_up',
  down: 'dpad_down',
  left: 'dpad_left',
  right: 'dpad_right',
  arrow_up: 'dpad_up',
  arrow_down: 'dpad_down',
  arrow_left: 'dpad_left',
  arrow_right: 'dpad_right',
  pageup: 'page_up',
  pagedown: 'page_down',
  end: 'move_end',
  select: 'dpad_center',
  ok: 'dpad_center',
  recents: 'app_switch',
  recent_apps: 'app_switch',
  overview: 'app_switch',
  appswitch: 'app_switch',
  volumeup: 'volume_up',
  volumedown: 'volume_down',
  mute: 'volume_mute',
  wakeup: 'wake',
}

const reveals: Readonly<Record<string, string>> = { up: 'down', down: 'up', left: 'right', right: 'left' }
const placeOf: Readonly<Record<string, string>> = {
  up: 'below',
  down: 'above',
  left: 'to the right',
  right: 'to the left',
}

/** Fields of targets that models also put directly into the action. */
const targetFields = ['ref', 'snapshot_id', 'text', 'nth', 'id', 'desc', 'x', 'y']

function typed({ type, action, ...rest }: Action): Action {
  const given = type ?? action
  if (typeof given !== 'string') return { ...(type === undefined ? {} : { type }), ...rest }
  const name = snake(given)
  if (name === 'press') return { type: 'key' in rest ? 'key' : 'tap', ...rest }
  return { type: Object.hasOwn(typeNames, name) ? typeNames[name] : name, ...rest }
}

/** Moves the fields of a target into `target`. The field `text` of `type` stays in the action. */
function lifted(action: Action, shape: object): Action {
  if (!('target' in shape) || (action['target'] ?? null) !== null) return action
  const isOfTarget = (name: string): boolean => targetFields.includes(name) && !(name in shape)
  const target = Object.entries(action).filter(
    ([name, value]) => isOfTarget(name) && (value ?? null) !== null,
  )
  if (target.length === 0) return action
  const rest = Object.entries(action).filter(([name]) => !isOfTarget(name) && name !== 'target')
  return { ...Object.fromEntries(rest), target: Object.fromEntries(target) }
}

/** Splits `ctrl+a` into the key and its modifier. */
function combined({ key, ...action }: Action): Action {
  const parts = typeof key === 'string' && key.length > 1 ? key.split('+').map(snake) : []
  const last = parts.pop()
  if (parts.length === 0) return { ...action, key }
  const modifiers = parts.map((name) => ({ control: 'ctrl', cmd: 'meta', command: 'meta' })[name] ?? name)
  return { ...action, key: last, modifiers }
}

/** Reads a field that names an app as `package` if it contains a dot, otherwise as `label`. */
function opened({ app, app_name, name, ...action }: Action): Action {
  const given = action['package'] ?? app ?? app_name ?? name
  if (typeof given !== 'string' || (action['label'] ?? null) !== null) return action
  return {
    ...action,
    package: given.includes('.') ? given.trim() : null,
    label: given.includes('.') ? null : given.trim(),
  }
}

function readAction(value: unknown): unknown {
  if (typeof value === 'string') return /^[\w -]+$/.test(value) ? typed({ type: value }) : value
  if (!isRecord(value)) return value
  const action = typed(value)
  const { type, direction } = action
  if (type === 'swipe' && typeof direction === 'string' && (action['from'] ?? null) === null) {
    const to = snake(direction)
    throw new Correction(
      `has \`from\` and \`to\`, and no \`direction\`. A swipe ${to} shows what is ${placeOf[to] ?? 'there'}: send {"type":"scroll","direction":"${reveals[to] ?? 'down'}"}`,
    )
  }
  if (type === 'key') return combined(action)
  const schema = typeof type === 'string' && Object.hasOwn(actionSchemas, type) ? type : null
  if (schema === null) return action
  return lifted(type === 'open_app' ? opened(action) : action, shapeOf(actionSchemas[schema as 'tap']))
}

function readKey(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value === ' ') return 'space'
  const name = snake(value).replace(/^(?:android_)?(?:keycode_|key_)/, '')
  if (name === 'delete')
    throw new Correction(
      'is `del` for the character before the cursor, or `forward_del` for the one after it',
    )
  return Object.hasOwn(keyNames, name) ? keyNames[name] : name
}

/** Reads a text as a target. `#fab` is an ID, in the form in which a screen shows it. */
function readTarget(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value
  return /^#\S+$/.test(value) ? { id: value } : { text: value }
}

alsoReads(actionSchema, readAction)
alsoReads(actionSchemas.key.shape.key, readKey)
for (const schema of [targetSchema, elementTargetSchema, searchTargetSchema]) alsoReads(schema, readTarget)
