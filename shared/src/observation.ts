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
      .meta({
        description: 'The text of the element; null if it has no text. Passwords are never included.',
      }),
    desc: z.string().nullable().meta({ description: 'The content description of the element.' }),
    id: z.string().nullable().meta({ description: 'The full resource ID of the element.' }),
    bounds: z
      .tuple([z.int(), z.int(), z.int(), z.int()])
      .meta({ description: '[left, top, right, bottom] in device pixels.' }),
    center: point,
    state: z
      .array(z.string())
      .meta({
        description: `For example ${elementStates.slice(0, 5).join(', ')}. More values may be added.`,
      }),
  })
  .meta({ id: 'Element' })
export type Element = z.infer<typeof elementSchema>

/** Whether the element's text is a typed text or a password. A hint is the app's own text. */
export const showsTypedText = ({ state }: Pick<Element, 'state'>): boolean =>
  state.includes('password') || (state.includes('editable') && !state.includes('hint'))

const observationScreenshotSchema = z.object({
  format: z.enum(['jpeg', 'png']),
  width: z.int().meta({ description: 'Width of the image in pixels.' }),
  height: z.int().meta({ description: 'Height of the image in pixels.' }),
  scale: z.number().meta({ description: 'Image width divided by screen width.' }),
  data: z.string().meta({ description: 'The image, encoded as Base64.' }),
  secure: z
    .literal(true)
    .optional()
    .meta({
      description: 'The screen shows a window that forbids screenshots. The window is black in the image.',
    }),
})
export type ObservationScreenshot = z.infer<typeof observationScreenshotSchema>

const settledSchema = z
  .boolean()
  .nullable()
  .optional()
  .meta({
    description:
      'Whether the screen had stopped changing. `false`: the screen was still changing, so a later observation may differ. `null`: unknown, for example because a window forbids screenshots. Hosts with an older version omit the field.',
  })

export const observationSchema = z
  .object({
    snapshot_id: z
      .string()
      .meta({
        description: 'The snapshot is kept for 15 minutes, so that actions can target a `ref` of it.',
      }),
    taken_at: z.iso.datetime().meta({ description: 'Time at which the screen showed this content.' }),
    settled: settledSchema,
    app: z.object({ package: z.string(), activity: z.string().nullable() }),
    keyboard: z.object({ visible: z.boolean(), focused_editable: z.boolean() }),
    screen: z
      .object({
        width: z.int().meta({ description: 'Width in device pixels.' }),
        height: z.int().meta({ description: 'Height in device pixels.' }),
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
          'Elements whose text, description or state changed. An element that only moved is not listed.',
      }),
    removed: refs.meta({ description: 'The numbers of the elements that are no longer on the screen.' }),
    kept: z.int().min(0).meta({ description: 'The number of unchanged elements.' }),
  })
  .meta({ id: 'Changes' })
export type Changes = z.infer<typeof changesSchema>

/** The answer to `since` when a list of changes is not worth it. */
export const wholeObservationSchema = observationSchema
  .extend({
    since: z.string().nullable().meta({ description: 'The `since` of the request; null if it was omitted.' }),
    whole: z
      .literal(true)
      .meta({
        description:
          'The answer has all elements, because more than about 60 % of them changed, another app or window is in the foreground, the snapshot is unknown or expired, or a batch stopped early.',
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
  stdout: z.string().meta({ description: 'Standard output as UTF-8; invalid bytes are replaced.' }),
  stderr: z.string().meta({ description: 'Standard error as UTF-8; invalid bytes are replaced.' }),
  exit_code: z
    .int()
    .nullable()
    .meta({
      description:
        'The exit code; null if the command was ended at its timeout or because it printed too much.',
    }),
  timed_out: z.boolean().meta({ description: 'Whether the command was ended at its timeout.' }),
  truncated: z.boolean().meta({ description: 'Whether a part of the output is missing.' }),
  duration_ms: z.int().min(0).meta({ description: 'Duration of the command in milliseconds.' }),
})
export type ShellResult = z.infer<typeof shellResultSchema>

export const actionResultSchema = z
  .object({
    index: z.int().min(0).meta({ description: 'Position in the batch, from 0.' }),
    type: z.string(),
    ok: z.boolean(),
    ms: z.int().min(0).meta({ description: 'Duration of the action in milliseconds.' }),
    resolved: z
      .object({
        center: point.meta({
          description:
            'The touched point in device pixels: the centre of the element, or another point of the element if a different touchable element covers its centre.',
        }),
        ref: z.int().optional(),
        covered: z
          .literal(true)
          .optional()
          .meta({ description: 'Other touchable elements cover every point of the element.' }),
        disabled: z
          .literal(true)
          .optional()
          .meta({ description: 'The element is disabled. Apps ignore touches on disabled elements.' }),
      })
      .optional()
      .meta({
        description:
          'For touches: the touched point, and the conditions under which the touch may have missed its element.',
      }),
    matched: z
      .string()
      .optional()
      .meta({
        description:
          'The text or description of the element, if the target names only a part of it. Omitted for a field with typed text.',
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
          'For `scroll` and `scroll_to`: whether the content ends here in the direction of the scroll; null if unknown.',
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
          'For `open_app`: the app in the foreground after the action. This is a different app when a dialog, such as a request for a permission, covers the opened app.',
      }),
    changed: z
      .boolean()
      .nullable()
      .optional()
      .meta({
        description:
          'Whether anything was drawn on the screen after the action. `null`: unknown, because the next action followed too soon or the host could not detect drawings. Omitted for actions that send nothing to the phone.',
      }),
    repeated: z
      .int()
      .min(2)
      .optional()
      .meta({
        description:
          'How many times in a row, including this time, the same action was sent to the same element while nothing was drawn on the screen.',
      }),
    next: z.string().optional().meta({ description: 'With `repeated`: advice to try a different action.' }),
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
        description: 'One entry for each action that was started. Only the last entry can be a failure.',
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
