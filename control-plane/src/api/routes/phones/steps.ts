/** /v1/phones/{id}/steps: list, one, its picture, and the export of a session. */
import { actionResultSchema, observationSchema, observeModes, textObservationSchema } from '@phonerack/shared'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import {
  exportForms,
  screenParts,
  stepStatuses,
  stepWays,
  type ExportForm,
  type StepJson,
} from '../../../phone-io/steps/types.js'
import { phoneIdOf, sendJson, sendStream, type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { pageFields, phoneParams } from '../fields.js'
import { noted } from '../lifecycle.js'
import { id, openEnum, timestamp } from '../schemas.js'

/** Codes of errors that concern a step and not its phone. */
const ownCodes = /^step_/

const screen = z.union([observationSchema, textObservationSchema]).nullable()

export const stepSchema = z
  .object({
    object: z.literal('step'),
    id: id('step'),
    phone: id('phone'),
    session: id('session'),
    request_id: id('request').meta({
      description:
        'The ID of the request that sent the batch. Touches of a person have an ID without a request.',
    }),
    status: openEnum(
      stepStatuses,
      '`running`: no outcome yet. `succeeded`: every action succeeded. `failed`: an action failed. `stopped`: the time of the batch ended before the last action, or a person touched the phone. `unknown`: the number of actions that ran is unknown.',
    ),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    duration_ms: z.int().nullable(),
    by: z
      .object({
        via: openEnum(
          stepWays,
          'The interface that was used: `api`, `mcp`, or `live` for a person in a live view.',
        ),
        client: z.string().nullable().meta({ description: "The client's `User-Agent`." }),
        key_id: id('key').meta({ description: 'The key of the request, or of the live link.' }),
        key_name: z.string().nullable(),
      })
      .meta({ description: 'The sender.' }),
    observe: z
      .enum(observeModes)
      .nullable()
      .meta({ description: 'The `observe` of the request; null for touches of a person.' }),
    actions: z
      .array(z.looseObject({ type: z.string() }))
      .meta({ description: 'The actions of the request. Typed text is `[redacted]` unless `text_kept`.' }),
    results: z
      .array(actionResultSchema)
      .meta({ description: 'One result for each action that was started, in order.' }),
    completed: z.int().min(0).meta({ description: 'Number of actions that succeeded.' }),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Why a batch has no results; null otherwise.' }),
    text_kept: z.boolean().meta({ description: 'Whether the project kept typed text.' }),
    before: screen.meta({ description: 'The last screen that was read before the batch.' }),
    after: screen.meta({ description: 'The screen that the batch returned.' }),
    picture: z
      .object({
        format: z.enum(['jpeg', 'png']),
        width: z.int(),
        height: z.int(),
        scale: z.number().meta({ description: 'Image width divided by screen width.' }),
        size_bytes: z.int(),
      })
      .nullable()
      .meta({ description: 'The picture at `…/steps/{sid}/screenshot`.' }),
    expires_at: timestamp,
  })
  .meta({ id: 'Step' })

export const stepPageSchema = z
  .object({
    data: z.array(stepSchema),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'StepPage' })

const session = z
  .string()
  .regex(/^ses_[a-z2-7]{12}$/, 'must be a session ID, such as `ses_abcdefghijkl`')
  .optional()
const observations = z
  .enum(screenParts)
  .default('full')
  .meta({ description: '`text` omits the elements of the screens; `none` omits the screens.' })
const stepParams = phoneParams.extend({
  sid: z.string().meta({ description: 'A step ID.', pattern: '^stp_[a-z2-7]{12}$' }),
})
const ofAnyPhone = ['phone_not_found', 'phone_not_allowed'] as const

/** Bypasses the serializer, which would visit every element. */
const send = (reply: FastifyReply, answer: StepJson | { data: StepJson[]; next_cursor: string | null }) =>
  sendJson(reply, Buffer.from(JSON.stringify(answer)))

export const listSteps: Route = (app, deps) => {
  app.get(
    '/phones/:id/steps',
    {
      schema: {
        operationId: 'listSteps',
        summary: 'List the steps of a phone, newest first',
        description:
          'Each batch of actions is a step, with its results, the screens before and after it, and its sender. Steps are kept as long as recordings, within the quota of the project, and stay readable after the phone is deleted. A page can have fewer than `limit` steps when their screens are large.',
        tags: ['steps'],
        params: phoneParams,
        querystring: z.object({
          session: session.meta({ description: 'Only steps of this session.' }),
          observations,
          ...pageFields,
        }),
        response: {
          200: {
            description: 'A page of steps.',
            content: { 'application/json': { schema: stepPageSchema } },
          },
          ...describeErrors(...ofAnyPhone),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { session: sessionId = null, observations: part, limit, cursor = null } = request.query
      const phoneId = phoneIdOf(request.params)
      const query = { limit, cursor, part }
      const page = await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.steps.list(callerOf(request), phoneId, sessionId, query),
      )
      return send(reply, { data: page.data, next_cursor: page.nextCursor })
    },
  )
}

export const getStep: Route = (app, deps) => {
  app.get(
    '/phones/:id/steps/:sid',
    {
      schema: {
        operationId: 'getStep',
        summary: 'Get a step',
        description: 'Works in every status of the phone.',
        tags: ['steps'],
        params: stepParams,
        querystring: z.object({ observations }),
        response: {
          200: { description: 'The step.', content: { 'application/json': { schema: stepSchema } } },
          ...describeErrors(...ofAnyPhone, 'step_not_found'),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const phoneId = phoneIdOf(request.params)
      const { observations: part } = request.query
      const step = await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.steps.get(callerOf(request), phoneId, request.params.sid, part),
      )
      return send(reply, step)
    },
  )
}

export const readStepPicture: Route = (app, deps) => {
  const binary = { schema: z.string().meta({ format: 'binary' }) }
  app.get(
    '/phones/:id/steps/:sid/screenshot',
    {
      schema: {
        operationId: 'readStepPicture',
        summary: 'Get the picture of a step',
        description: 'The screen after the batch. A step without a picture answers `404 step_not_found`.',
        tags: ['steps'],
        params: stepParams,
        response: {
          200: { description: 'The picture.', content: { 'image/jpeg': binary, 'image/png': binary } },
          ...describeErrors(...ofAnyPhone, 'step_not_found'),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { sid } = request.params
      deps.streams.hold(callerOf(request), reply)
      const phoneId = phoneIdOf(request.params)
      const found = await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.steps.picture(callerOf(request), phoneId, sid),
      )
      reply.header('content-length', found.picture.sizeBytes)
      return sendStream(reply, `image/${found.picture.format}`, found.stream)
    },
  )
}

/**
 * File extensions and media types of exports. Scripts are sent as text, so that no program runs them because of their
 * type.
 */
const forms: Readonly<Record<ExportForm, { ending: string; type: string }>> = {
  html: { ending: 'html', type: 'text/html; charset=utf-8' },
  jsonl: { ending: 'jsonl', type: 'application/jsonl; charset=utf-8' },
  ts: { ending: 'ts', type: 'text/plain; charset=utf-8' },
  python: { ending: 'py', type: 'text/plain; charset=utf-8' },
}

export const exportSteps: Route = (app, deps) => {
  const text = { schema: z.string() }
  app.get(
    '/phones/:id/steps/export',
    {
      schema: {
        operationId: 'exportSteps',
        summary: 'Export a session as a replay, as data or as a script',
        description:
          'Exports at most 2,000 steps of one session, oldest first. `html` is one file that plays the session in a browser without a network. `jsonl` has one step in each line. `ts` and `python` are programs that use the SDK to repeat the session without a model.',
        tags: ['steps'],
        params: phoneParams,
        querystring: z.object({
          format: z.enum(exportForms).default('html').meta({ description: 'The format of the export.' }),
          session: session.meta({ description: 'The session; if omitted, the last session that has steps.' }),
        }),
        response: {
          200: {
            description: 'The file; its name is in `Content-Disposition`.',
            content: { 'text/html': text, 'application/jsonl': text, 'text/plain': text },
          },
          ...describeErrors(...ofAnyPhone, 'step_not_found'),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const { format, session: sessionId = null } = request.query
      const phoneId = phoneIdOf(request.params)
      deps.streams.hold(callerOf(request), reply)
      const found = await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.steps.export(callerOf(request), phoneId, sessionId, format),
      )
      const { ending, type } = forms[format]
      reply
        .header('content-disposition', contentDisposition(`${found.sessionId}.${ending}`))
        .header('x-content-type-options', 'nosniff')
        // A browser that shows the file nevertheless gives it an opaque origin.
        .header('content-security-policy', 'sandbox')
      return sendStream(reply, type, Readable.from(found.chunks, { objectMode: false }))
    },
  )
}
