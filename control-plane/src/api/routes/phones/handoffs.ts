/** /v1/phones/{id}/handoffs: request a person, wait for the result, withdraw the request. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, type Route } from '../deps.js'
import { describeErrors, intoPhone } from '../errors.js'
import { noBody, phoneParams, postHeaders, waitQuery } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { noteActivity } from '../lifecycle.js'
import { id, openEnum, timestamp } from '../schemas.js'
import { handoffStatuses } from '../../../base/core/statuses.js'
import { type HandoffView } from '../../../phone-io/handoffs/types.js'

const { pollTimeout } = limits
const { message: messageLength } = limits.handoffs
const { min, max, default: defaultSeconds } = limits.live.expiresIn

export const handoffSchema = z
  .object({
    object: z.literal('handoff'),
    id: id('handoff'),
    phone: id('phone'),
    status: openEnum(
      handoffStatuses,
      `One of ${handoffStatuses.join(', ')}. While it is \`taken\`, the person controls the phone.`,
    ),
    message: z.string(),
    note: z.string().nullable().meta({ description: 'The note that the person left, if any.' }),
    created_at: timestamp,
    taken_at: timestamp.nullable().meta({ description: 'Time when the person took control.' }),
    ended_at: timestamp.nullable().meta({ description: 'Null while the status is `open` or `taken`.' }),
    expires_at: timestamp.meta({
      description: "Time at which the hand-over expires. It ends earlier if the phone's session ends.",
    }),
  })
  .meta({ id: 'Handoff' })
export type HandoffJson = z.output<typeof handoffSchema>

export const createdHandoffSchema = handoffSchema
  .extend({
    url: z
      .string()
      .meta({
        description:
          'The link for the person. It acts like a password and is shown once. With the profile `guarded`, the link opens the page of the phone in the console, where a member of the project signs in.',
      }),
  })
  .meta({ id: 'CreatedHandoff' })

const handoffJson = (handoff: HandoffView): HandoffJson => ({
  object: 'handoff',
  id: handoff.id,
  phone: handoff.phone,
  status: handoff.status,
  message: handoff.message,
  note: handoff.note,
  created_at: handoff.createdAt.toISOString(),
  taken_at: handoff.takenAt?.toISOString() ?? null,
  ended_at: handoff.endedAt?.toISOString() ?? null,
  expires_at: handoff.expiresAt.toISOString(),
})

const handoffParams = phoneParams.extend({
  hid: z.string().meta({ description: 'A hand-over ID.', pattern: '^hnd_[a-z2-7]{12}$' }),
})

const createHandoffBody = z.strictObject({
  message: z
    .string()
    .trim()
    .refine(
      (text) => {
        const { length } = Array.from(text)
        return length >= messageLength.min && length <= messageLength.max
      },
      {
        message: `must have between ${messageLength.min} and ${messageLength.max} characters, not counting leading and trailing spaces`,
      },
    )
    .meta({
      minLength: messageLength.min,
      maxLength: messageLength.max,
      description: 'The task, as shown to the person.',
    }),
  expires_in: z
    .int()
    .min(min)
    .max(max)
    .default(defaultSeconds)
    .meta({
      description:
        'Seconds until the hand-over expires. It ends earlier when the phone is parked or deleted.',
    }),
  taken: z
    .boolean()
    .default(false)
    .meta({
      description:
        '`true`: the person controls the phone immediately, and the hand-over is `taken` from the start.',
    }),
})

const ofAnyPhone = ['phone_not_found', 'phone_not_allowed', 'handoff_not_found'] as const

export const createHandoff: Route = (app, deps) => {
  app.post(
    '/phones/:id/handoffs',
    {
      schema: {
        operationId: 'createHandoff',
        summary: 'Hand a phone over to a person',
        description:
          'A person opens the URL in a browser, reads the message, takes control, and gives the phone back as `done` or `declined`. While a person controls the phone, requests that write to it answer `phone_controlled`. A phone has at most one open hand-over.',
        tags: ['handoffs'],
        params: phoneParams,
        headers: postHeaders,
        body: createHandoffBody,
        response: {
          201: createdHandoffSchema,
          ...describeErrors('payload_too_large', 'handoff_in_progress', ...intoPhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { message, expires_in: expiresIn, taken: isTaken } = request.body
      const { handoff, url } = await whileActive(deps, request, reply, (caller, phoneId) =>
        deps.services.handoffs.create(caller, phoneId, { message, expiresIn, isTaken }),
      )
      return reply.code(201).send({ ...handoffJson(handoff), url })
    },
  )
}

const getHandoffQuery = waitQuery(['done'], 'Respond once the hand-over has ended, with any outcome.')

export const getHandoff: Route = (app, deps) => {
  app.get(
    '/phones/:id/handoffs/:hid',
    {
      schema: {
        operationId: 'getHandoff',
        summary: 'Get a hand-over, or wait until the person has answered',
        description:
          'Works in every status of the phone. The request counts as activity, so the phone does not park while an agent waits. A hand-over is kept for seven days after its `expires_at`.',
        tags: ['handoffs'],
        params: handoffParams,
        querystring: getHandoffQuery,
        response: { 200: handoffSchema, ...describeErrors(...ofAnyPhone) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const phoneId = phoneIdOf(request.params)
      const { hid } = request.params
      const { wait, timeout = pollTimeout.default } = request.query
      const { handoffs } = deps.services
      const caller = callerOf(request)
      const now = await handoffs.get(caller, phoneId, hid)
      await noteActivity(deps, request, phoneId)
      if (wait === undefined || now.endedAt !== null) return handoffJson(now)
      deps.waits.hold(callerOf(request), reply)
      const signal = deps.lifetimes.wait(reply)
      return handoffJson(await handoffs.wait(caller, phoneId, hid, timeout * 1000, signal))
    },
  )
}

export const deleteHandoff: Route = (app, deps) => {
  app.delete(
    '/phones/:id/handoffs/:hid',
    {
      schema: {
        operationId: 'deleteHandoff',
        summary: 'Withdraw a hand-over, or delete an ended one',
        description:
          'Ends the link, takes control from the person immediately, and deletes the message and the note. Works in every status of the phone. While a member controls the phone by a hand-over that began in the console, the request answers `phone_controlled`.',
        tags: ['handoffs'],
        params: handoffParams,
        body: noBody,
        response: {
          200: z.object({ id: id('handoff'), deleted: z.literal(true) }),
          ...describeErrors('payload_too_large', 'phone_controlled', ...ofAnyPhone),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request) => {
      const phoneId = phoneIdOf(request.params)
      const { hid } = request.params
      await deps.services.handoffs.withdraw(callerOf(request), phoneId, hid)
      await noteActivity(deps, request, phoneId)
      return { id: hid, deleted: true as const }
    },
  )
}
