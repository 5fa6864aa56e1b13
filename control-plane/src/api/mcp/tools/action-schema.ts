/**
 * The actions of a batch in the list of tools: one flat object for all types, a seventh of the size of
 * `actionBatchSchema`, which validates each batch. A test compares the two.
 */
import { actionTypes, keyModifiers } from '@phonerack/shared'
import { type Schema } from '../tool.js'

const fields = {
  ref: { type: 'integer' },
  snapshot_id: { type: 'string' },
  text: { type: 'string' },
  nth: { type: 'integer' },
  id: { type: 'string' },
  desc: { type: 'string' },
  x: { type: 'integer' },
  y: { type: 'integer' },
}
const target: Schema = {
  type: 'object',
  description:
    'One of {ref, snapshot_id}, {text, nth?} (as in the quotes of the screen), {id}, {desc}, {x, y} in device pixels',
  properties: fields,
}
/**
 * Some clients forbid every field that an object schema does not list, so this schema lists all fields of a target.
 */
const point: Schema = { type: 'object', description: 'Like target', properties: fields }

const perType = [
  'tap, double_tap, long_press(duration_ms?): target',
  'type: text, target?, clear?, submit?',
  'clear: target?',
  'key: key (enter, tab, del, escape, dpad_up, page_down, volume_up, power, wake, search, a, 1, …), modifiers?',
  'back, home, recents, hide_keyboard: no fields',
  'swipe, drag(hold_ms?): from, to, duration_ms?',
  'pinch: target, scale (below 1 closes), duration_ms?',
  'scroll: direction to reveal, target?, amount? (0.1 to 1)',
  'scroll_to: target by text, id or desc, direction?, max_scrolls?',
  'open_app: package or label, activity?',
  'close_app: package',
  'open_url: url',
  'wait: ms',
  'wait_for: target, state? (visible or gone), timeout_ms? (10000)',
  'wait_idle: timeout_ms?',
  'shell: command, stdin?, timeout_ms? (10000)',
]

export const actionsSchema: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  description: perType.join('; '),
  items: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string', enum: actionTypes },
      target,
      from: point,
      to: point,
      text: { type: 'string' },
      clear: { type: 'boolean' },
      submit: { type: 'boolean', description: 'Press enter after typing' },
      key: { type: 'string' },
      modifiers: { type: 'array', items: { type: 'string', enum: keyModifiers } },
      direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
      amount: { type: 'number' },
      scale: { type: 'number' },
      max_scrolls: { type: 'integer' },
      package: { type: 'string' },
      label: { type: 'string' },
      activity: { type: 'string' },
      url: { type: 'string' },
      state: { type: 'string', enum: ['visible', 'gone'] },
      command: { type: 'string' },
      stdin: { type: 'string' },
      ms: { type: 'integer' },
      timeout_ms: { type: 'integer' },
      duration_ms: { type: 'integer' },
      hold_ms: { type: 'integer' },
    },
  },
}
