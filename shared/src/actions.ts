/**
 * The actions of a batch, as clients send them: the one source of validation, OpenAPI and the agent's types.
 * Times in milliseconds, points in device pixels.
 */
import { z } from 'zod'
import { limits } from './limits.js'

const ms = (min: number, max: number) => z.int().min(min).max(max).meta({ description: 'Milliseconds.' })
const codePoints = (min: number, max: number) =>
  z.string().refine((text) => {
    const count = Array.from(text).length
    return count >= min && count <= max
  }, `must have between ${min} and ${max} characters`)

const targetText = codePoints(1, 1000)
export const snapshotId = z
  .string()
  .regex(/^snp_[a-z2-7]{12}$/, 'must be a snapshot ID, such as `snp_abcdefghijkl`')
const refTarget = z.strictObject({ ref: z.int().min(1), snapshot_id: snapshotId })
const textTarget = z.strictObject({
  text: targetText,
  nth: z
    .int()
    .min(0)
    .max(499)
    .optional()
    .meta({ description: 'Selects one of several matches: the index in screen order, from 0.' }),
})
const idTarget = z.strictObject({ id: targetText })
const descTarget = z.strictObject({ desc: targetText })
/** Points of a scaled screenshot, divided by its scale, have fractions. */
const pixels = z.number().overwrite(Math.round).meta({ description: 'Device pixels; fractions are rounded.' })
const pointTarget = z.strictObject({ x: pixels, y: pixels })

/** The target of an action: an object in exactly one of these forms. */
export const targetSchema = z
  .union([refTarget, textTarget, idTarget, descTarget, pointTarget])
  .meta({ id: 'Target', description: 'The target of an action, in exactly one of these forms.' })
export const elementTargetSchema = z.union([refTarget, textTarget, idTarget, descTarget])
export const searchTargetSchema = z.union([textTarget, idTarget, descTarget])

export type Target = z.infer<typeof targetSchema>
export type SearchTarget = z.infer<typeof searchTargetSchema>

export const keyNames = [
  'enter',
  'tab',
  'del',
  'forward_del',
  'escape',
  'space',
  'dpad_up',
  'dpad_down',
  'dpad_left',
  'dpad_right',
  'dpad_center',
  'page_up',
  'page_down',
  'move_home',
  'move_end',
  'search',
  'menu',
  'back',
  'home',
  'app_switch',
  'volume_up',
  'volume_down',
  'volume_mute',
  'power',
  'wake',
  'sleep',
  'camera',
  'media_play_pause',
  'media_stop',
  'media_next',
  'media_previous',
  ...Array.from('abcdefghijklmnopqrstuvwxyz0123456789'),
] as const
export const keyModifiers = ['shift', 'ctrl', 'alt', 'meta'] as const

const direction = z.enum(['up', 'down', 'left', 'right'])
/** An Android package name: two parts or more, each beginning with a letter. */
export const packageName = z
  .string()
  .max(255)
  .regex(
    /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/,
    'must be a package name, such as `com.example.app`',
  )
const webUrl = z
  .string()
  .max(2048)
  .refine((text) => {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    return (url.protocol === 'http:' || url.protocol === 'https:') && !url.username && !url.password
  }, 'must be an `http` or `https` URL without a user name or password')

/** A command line for the shell of the phone. */
export const shellCommand = codePoints(1, limits.shell.command)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
  .meta({
    minLength: 1,
    maxLength: limits.shell.command,
    description: 'A command line for `sh` on the phone.',
  })
export const shellInput = codePoints(0, limits.shell.stdin).meta({
  maxLength: limits.shell.stdin,
  description: 'The standard input of the command, as UTF-8. Empty if omitted.',
})

export const actionSchemas = {
  tap: z.strictObject({ type: z.literal('tap'), target: targetSchema }),
  double_tap: z.strictObject({ type: z.literal('double_tap'), target: targetSchema }),
  long_press: z.strictObject({
    type: z.literal('long_press'),
    target: targetSchema,
    duration_ms: ms(300, 10_000).default(800),
  }),
  type: z.strictObject({
    type: z.literal('type'),
    text: codePoints(1, 10_000),
    clear: z.boolean().default(false),
    target: targetSchema.optional(),
    submit: z.boolean().default(false),
  }),
  clear: z.strictObject({ type: z.literal('clear'), target: targetSchema.optional() }),
  key: z.strictObject({
    type: z.literal('key'),
    key: z.enum(keyNames),
    modifiers: z.array(z.enum(keyModifiers)).max(4).default([]),
  }),
  back: z.strictObject({ type: z.literal('back') }),
  home: z.strictObject({ type: z.literal('home') }),
  recents: z.strictObject({ type: z.literal('recents') }),
  swipe: z.strictObject({
    type: z.literal('swipe'),
    from: targetSchema,
    to: targetSchema,
    duration_ms: ms(50, 5000).default(300),
  }),
  drag: z.strictObject({
    type: z.literal('drag'),
    from: targetSchema,
    to: targetSchema,
    hold_ms: ms(100, 5000).default(500),
    duration_ms: ms(50, 5000).default(600),
  }),
  pinch: z.strictObject({
    type: z.literal('pinch'),
    target: targetSchema,
    scale: z.number().min(0.1).max(10),
    duration_ms: ms(50, 5000).default(400),
  }),
  scroll: z.strictObject({
    type: z.literal('scroll'),
    direction,
    target: targetSchema.optional(),
    amount: z.number().min(0.1).max(1).default(0.6),
  }),
  scroll_to: z.strictObject({
    type: z.literal('scroll_to'),
    target: searchTargetSchema,
    direction: direction.default('down'),
    max_scrolls: z.int().min(1).max(30).default(10),
  }),
  open_app: z
    .strictObject({
      type: z.literal('open_app'),
      package: packageName.optional(),
      label: codePoints(1, 100)
        .optional()
        .meta({ description: 'The name of the app on the phone, instead of `package`.' }),
      activity: z
        .string()
        .max(255)
        .regex(/^[A-Za-z0-9_.$]+$/)
        .optional(),
    })
    .refine(
      ({ package: name, label }) => (name === undefined) !== (label === undefined),
      'must have exactly one of `package` and `label`',
    ),
  close_app: z.strictObject({ type: z.literal('close_app'), package: packageName }),
  open_url: z.strictObject({ type: z.literal('open_url'), url: webUrl }),
  hide_keyboard: z.strictObject({ type: z.literal('hide_keyboard') }),
  wait: z.strictObject({ type: z.literal('wait'), ms: ms(1, 60_000) }),
  wait_for: z.strictObject({
    type: z.literal('wait_for'),
    target: elementTargetSchema,
    timeout_ms: ms(100, 60_000).default(limits.actions.waitForDefault),
    state: z.enum(['visible', 'gone']).default('visible'),
  }),
  wait_idle: z.strictObject({ type: z.literal('wait_idle'), timeout_ms: ms(100, 30_000).default(5000) }),
  shell: z.strictObject({
    type: z.literal('shell'),
    command: shellCommand,
    stdin: shellInput.optional(),
    timeout_ms: ms(100, limits.shell.timeout.max * 1000).default(limits.shell.timeout.default * 1000),
  }),
} as const

export type ActionType = keyof typeof actionSchemas
export const actionTypes = Object.keys(actionSchemas) as ActionType[]

export const actionSchema = z
  .discriminatedUnion('type', [
    actionSchemas.tap,
    actionSchemas.double_tap,
    actionSchemas.long_press,
    actionSchemas.type,
    actionSchemas.clear,
    actionSchemas.key,
    actionSchemas.back,
    actionSchemas.home,
    actionSchemas.recents,
    actionSchemas.swipe,
    actionSchemas.drag,
    actionSchemas.pinch,
    actionSchemas.scroll,
    actionSchemas.scroll_to,
    actionSchemas.open_app,
    actionSchemas.close_app,
    actionSchemas.open_url,
    actionSchemas.hide_keyboard,
    actionSchemas.wait,
    actionSchemas.wait_for,
    actionSchemas.wait_idle,
    actionSchemas.shell,
  ])
  .meta({ id: 'Action' })

export type Action = z.infer<typeof actionSchema>
export type ActionOf<T extends ActionType> = Extract<Action, { type: T }>

/**
 * The longest time in milliseconds that a batch can wait: each `wait`, `wait_for`, `wait_idle` and `shell` counts
 * in full.
 */
export const waitBudget = (actions: readonly Action[]): number =>
  actions.reduce((sum, action) => {
    if (action.type === 'wait') return sum + action.ms
    return 'timeout_ms' in action ? sum + action.timeout_ms : sum
  }, 0)

/** Whether the action sends nothing to the phone. */
export const waitsOnly = ({ type }: Action): boolean =>
  type === 'wait' || type === 'wait_for' || type === 'wait_idle'

export const observeModes = ['none', 'ui', 'screenshot', 'both', 'text', 'changes', 'auto'] as const
export type ObserveMode = (typeof observeModes)[number]

export const actionBatchSchema = z
  .strictObject({
    actions: z
      .array(actionSchema)
      .min(1)
      .max(limits.actions.max)
      .meta({ description: 'The actions run in this order. The first failure ends the batch.' }),
    observe: z
      .enum(observeModes)
      .default('ui')
      .meta({
        description:
          'Selects the observation after the batch. `changes` returns the changes since the snapshot `since`. `auto` returns nothing if the batch only waited, and otherwise the same as `changes`. A failed batch always returns the elements; with `text`, it returns them only as lines of text.',
      }),
    since: snapshotId
      .optional()
      .meta({
        description:
          'For `changes` and `auto`: the `snapshot_id` of the last observation. Without `since`, the whole screen is returned.',
      }),
    fresh: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Reads the elements again even if nothing was drawn since the last read. Set it only for changes that draw nothing, such as a new content description.',
      }),
  })
  .refine(({ observe, since }) => since === undefined || observe === 'changes' || observe === 'auto', {
    path: ['since'],
    message: 'needs `observe` to be `changes` or `auto`',
  })
  .refine((batch) => waitBudget(batch.actions) <= limits.actions.waitSum, {
    path: ['actions'],
    message: `must wait at most ${limits.actions.waitSum} milliseconds in total`,
  })
