/** The content of a screen, as clients get it. Points and sizes are in device pixels. */
import { z } from 'zod'
import { errorCodes, type ErrorCode } from './errors.js'

export const elementStates = [
  'clickable',
  'long_clickable',
  'checkable',
  'checked',
  'editable',
  'focused',
  'selected',
  'scrollable',
  'disabled',
  'password',
  'hint',
] as const
export type ElementState = (typeof elementStates)[number]

const point = z.tuple([z.int(), z.int()]).meta({ description: '[x, y] in device pixels.' })

export const elementSchema = z
  .object({
    ref: z
      .int()
      .min(1)
      .meta({ description: 'The number of the element, for targets together with `snapshot_id`.' }),
    type: z.string().meta({ description: "Last part of the element's class, such as `EditText`." }),
    text: z
      .string()
      .nullable()
      .meta({ description: 'Null if it has no text. Passwords are never included.' }),
    desc: z.string().nullable().meta({ description: 'Content description.' }),
    id: z.string().nullable().meta({ description: 'Full resource ID.' }),
    bounds: z.tuple([z.int(), z.int(), z.int(), z.int()]).meta({ description: '[left, top, right, bottom]' }),
    center: point,
    state: z
      .array(z.string())
      .meta({ description: `For example ${elementStates.slice(0, 5).join(', ')}. More may be added.` }),
  })
  .meta({ id: 'Element' })
export type Element = z.infer<typeof elementSchema>

/** Whether the element's text is a typed text or a password. A hint is the app's own text. */
export const showsTypedText = ({ state }: Pick<Element, 'state'>): boolean =>
  state.includes('password') || (state.includes('editable') && !state.includes('hint'))

const observationScreenshotSchema = z.object({
  format: z.enum(['jpeg', 'png']),
  width: z.int().meta({ description: 'Pixels of the image.' }),
  height: z.int().meta({ description: 'Pixels of the image.' }),
  scale: z.number().meta({ description: 'Image width divided by screen width.' }),
  data: z.string().meta({ description: 'Base64.' }),
  secure: z
    .literal(true)
    .optional()
    .meta({ description: 'The screen shows a window that forbids screenshots; it is black in the image.' }),
})
export type ObservationScreenshot = z.infer<typeof observationScreenshotSchema>

const settledSchema = z
  .boolean()
  .nullable()
  .optional()
  .meta({
    description:
      'Whether the screen was still. False: it was still changing, so it may show more later. Null: unknown, as for windows that forbid screenshots. Left out in observations of older hosts.',
  })

export const observationSchema = z
  .object({
    snapshot_id: z.string().meta({ description: 'Kept for 15 minutes, so that actions can target a `ref`.' }),
    taken_at: z.iso.datetime().meta({ description: 'Time at which the screen showed this.' }),
    settled: settledSchema,
    app: z.object({ package: z.string(), activity: z.string().nullable() }),
    keyboard: z.object({ visible: z.boolean(), focused_editable: z.boolean() }),
    screen: z
      .object({
        width: z.int().meta({ description: 'Device pixels.' }),
        height: z.int().meta({ description: 'Device pixels.' }),
        on: z
          .literal(false)
          .optional()
          .meta({
            description:
              'Present only while the screen is off. The list of elements is then empty, and touches fail.',
          }),
      })
      .meta({ description: 'The screen at its current rotation.' }),
    elements: z.array(elementSchema),
    truncated: z.boolean().meta({ description: 'Whether elements were omitted.' }),
    text: z
      .string()
      .meta({
        description:
          'The same content as lines of text. Inside quotes, `"`, `\\` and line breaks are escaped with a backslash. IDs of the foreground app are written without the package.',
      }),
    screenshot: observationScreenshotSchema.optional(),
  })
  .meta({ id: 'Observation' })
export type Observation = z.infer<typeof observationSchema>

/** The observation of a batch with `observe: text`. */
export const textObservationSchema = observationSchema
  .omit({ elements: true, screenshot: true })
  .meta({ id: 'TextObservation' })
export type TextObservation = z.infer<typeof textObservationSchema>

const refs = z.array(z.int().min(1))

/** The answer to `since` when most of the screen stayed. An element that only moved has not changed. */
export const changesSchema = observationSchema
  .omit({ elements: true })
  .extend({
    since: z.string().meta({ description: 'The snapshot with which the screen was compared.' }),
    same: z.boolean().meta({ description: 'Whether no element changed.' }),
    added: z.array(elementSchema).meta({ description: 'Elements that are new on the screen.' }),
    changed: z
      .array(elementSchema)
      .meta({
        description:
          'Elements of which the text, the description or the state changed. An element that only moved has not changed.',
      }),
    removed: refs.meta({ description: 'The numbers of the elements that are no longer on the screen.' }),
    kept: z.int().min(0).meta({ description: 'The number of elements that stayed as they were.' }),
  })
  .meta({ id: 'Changes' })
export type Changes = z.infer<typeof changesSchema>

/** The answer to `since` when a list of changes is not worth it. */
export const wholeObservationSchema = observationSchema
  .extend({
    since: z
      .string()
      .nullable()
      .meta({ description: 'The snapshot that was to be compared; null if the request named none.' }),
    whole: z
      .literal(true)
      .meta({
        description:
          'The answer has all elements: more than about 60 % changed, another app or window is in front, the snapshot is unknown or expired, or a batch stopped early.',
      }),
  })
  .meta({ id: 'WholeObservation' })
export const changesSinceSchema = z.union([changesSchema, wholeObservationSchema])
export type ChangesSince = z.infer<typeof changesSinceSchema>

/** The observation of a completed batch with `observe: screenshot`. */
const screenshotObservationSchema = z.object({
  taken_at: z.iso.datetime(),
  settled: settledSchema,
  screenshot: observationScreenshotSchema,
})
export type ScreenshotObservation = z.infer<typeof screenshotObservationSchema>

const candidateSchema = z.object({
  ref: z.int(),
  type: z.string(),
  text: z.string().nullable(),
  desc: z.string().nullable(),
  id: z.string().nullable(),
  center: point,
})
export type Candidate = z.infer<typeof candidateSchema>

const actionErrorSchema = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  retryable: z.boolean(),
  next: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})

export const shellResultSchema = z.object({
  stdout: z.string().meta({ description: 'UTF-8; other bytes are replaced.' }),
  stderr: z.string().meta({ description: 'UTF-8; other bytes are replaced.' }),
  exit_code: z
    .int()
    .nullable()
    .meta({ description: 'Null if the command was ended by its timeout, or because it printed too much.' }),
  timed_out: z.boolean().meta({ description: 'Whether the command was ended by its timeout.' }),
  truncated: z.boolean().meta({ description: 'Whether output is missing.' }),
  duration_ms: z.int().min(0).meta({ description: 'Milliseconds taken by the command.' }),
})
export type ShellResult = z.infer<typeof shellResultSchema>

export const actionResultSchema = z
  .object({
    index: z.int().min(0).meta({ description: 'Position in the batch, from 0.' }),
    type: z.string(),
    ok: z.boolean(),
    ms: z.int().min(0).meta({ description: 'Milliseconds taken.' }),
    resolved: z
      .object({
        center: point.meta({
          description:
            'The touched point in device pixels: the centre of the element, or another of its points if a different touchable element covers the centre.',
        }),
        ref: z.int().optional(),
        covered: z
          .literal(true)
          .optional()
          .meta({ description: 'Other touchable elements cover every point of the element.' }),
        disabled: z
          .literal(true)
          .optional()
          .meta({ description: 'The element is disabled: apps ignore a touch on it.' }),
      })
      .optional()
      .meta({
        description:
          'For touches: the touched point, and conditions that may have kept the touch from its element.',
      }),
    matched: z
      .string()
      .optional()
      .meta({
        description:
          'The text or description of the element, if the text of the target is only a part of it. Left out for a field with typed text.',
      }),
    moved: z
      .boolean()
      .optional()
      .meta({ description: 'For `scroll` and `scroll_to`: whether the content moved.' }),
    at_end: z
      .boolean()
      .nullable()
      .optional()
      .meta({
        description:
          'For `scroll` and `scroll_to`: whether the content ends here in that direction; null if unknown.',
      }),
    activity: z
      .string()
      .optional()
      .meta({ description: 'For `open_app`: the class of the activity that was opened.' }),
    app: z
      .object({ package: z.string(), activity: z.string().nullable() })
      .optional()
      .meta({
        description:
          'For `open_app`: the app in front afterwards. It is another one when a dialog covers the opened app, such as a request for a permission.',
      }),
    changed: z
      .boolean()
      .nullable()
      .optional()
      .meta({
        description:
          'Whether anything was drawn on the screen after the action. Null: unknown, because the next action came too soon or drawings cannot be seen. Left out for actions that send nothing to the phone.',
      }),
    repeated: z
      .int()
      .min(2)
      .optional()
      .meta({
        description:
          'How often the same action was sent to the same element without anything being drawn in between, this time included.',
      }),
    next: z.string().optional().meta({ description: 'With `repeated`: advice to do something else.' }),
    ...shellResultSchema.partial().shape,
    error: actionErrorSchema.optional(),
  })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof actionResultSchema>

export const actionBatchResultSchema = z
  .object({
    results: z
      .array(actionResultSchema)
      .meta({
        description: 'One entry for each action that was started. Only the last one can be a failure.',
      }),
    completed: z.int().min(0).meta({ description: 'Number of actions that succeeded.' }),
    observation: z
      .union([
        observationSchema,
        textObservationSchema,
        screenshotObservationSchema,
        changesSchema,
        wholeObservationSchema,
      ])
      .optional(),
  })
  .meta({ id: 'ActionBatchResult' })
export type ActionBatchResult = z.infer<typeof actionBatchResultSchema>
