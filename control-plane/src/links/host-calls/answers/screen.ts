/**
 * Observations and action results in the form that hosts send, with the fields of the interface specification. Fields
 * that were added later may be missing, since a host may be older than the control plane. Unknown fields are kept.
 */
import { errorCodes, limits, shellResultSchema } from '@phonerack/shared'
import { z } from 'zod'
import { isShallow, listOf, pixels } from './fields.js'

const place = z.int().min(-1_000_000).max(1_000_000)
const point = z.tuple([place, place])
const longText = z.string().max(limits.screenAnswer)
const name = z.string().max(10_000)
const size = { width: pixels, height: pixels }

const element = z.looseObject({
  ref: z.int().min(1),
  type: name,
  text: name.nullable(),
  desc: name.nullable(),
  id: name.nullable(),
  bounds: z.tuple([place, place, place, place]),
  center: point,
  state: listOf(z.string().max(100), 100),
})

const screenshot = z.looseObject({
  format: z.enum(['jpeg', 'png']),
  ...size,
  scale: z.number().positive(),
  data: longText,
  secure: z.literal(true).optional(),
})

const takenAt = z.iso.datetime()
const settled = z.boolean().nullable().optional()

export const snapshotId = z.string().regex(/^snp_[a-z2-7]{12}$/)

const withoutElements = z.looseObject({
  snapshot_id: snapshotId,
  taken_at: takenAt,
  settled,
  app: z.looseObject({ package: name, activity: name.nullable() }),
  keyboard: z.looseObject({ visible: z.boolean(), focused_editable: z.boolean() }),
  screen: z.looseObject({ ...size, on: z.literal(false).optional() }),
  truncated: z.boolean(),
  text: longText,
  screenshot: screenshot.optional(),
})

const elements = listOf(element, limits.elements.max)
export const observation = withoutElements.extend({ elements })

/** The answer to `since`, unless it is whole. */
export const changes = withoutElements.extend({
  since: snapshotId,
  same: z.boolean(),
  added: elements,
  changed: elements,
  removed: listOf(z.int().min(1), limits.elements.max),
  kept: z.int().min(0),
})

/** The observation after a batch: with elements, without elements (`observe: "text"`), or only a screenshot. */
export const batchObservation = z.union([
  withoutElements.extend({ elements: elements.optional() }),
  z.looseObject({ taken_at: takenAt, settled, screenshot }),
])

const result = z.looseObject({
  index: z.int().min(0).max(limits.actions.max),
  type: z.string().max(100),
  ok: z.boolean(),
  ms: z.int().min(0),
  resolved: z
    .looseObject({
      center: point,
      ref: z.int().optional(),
      covered: z.literal(true).optional(),
      disabled: z.literal(true).optional(),
    })
    .optional(),
  moved: z.boolean().optional(),
  at_end: z.boolean().nullable().optional(),
  activity: name.optional(),
  app: z.looseObject({ package: name, activity: name.nullable() }).optional(),
  changed: z.boolean().nullable().optional(),
  repeated: z.int().min(2).optional(),
  next: name.optional(),
  ...shellResultSchema.partial().shape,
  error: z
    .looseObject({
      code: z.enum(errorCodes),
      message: name,
      retryable: z.boolean(),
      next: name.nullable(),
      details: z
        .custom(
          (details) => typeof details === 'object' && details !== null && Object.keys(details).length <= 100,
        )
        .pipe(z.record(z.string(), z.unknown()).refine((details) => isShallow(details))),
    })
    .optional(),
})

export const actionResult = result
export const actionResults = listOf(result, limits.actions.max)
