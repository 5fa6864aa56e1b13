/** /v1/phones/{id}/recordings: start, list, stop, video and delete. */
import { ApiError, limits } from '@phonerack/shared'
import { create as contentDisposition } from 'content-disposition'
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { phoneIdOf, sendStream, type Route } from '../deps.js'
import { describeErrors, sentOnce } from '../errors.js'
import { noBody, phoneParams, postHeaders } from '../fields.js'
import { whileActive } from '../into-phone.js'
import { noteActivity, noted } from '../lifecycle.js'
import { id, openEnum, timestamp } from '../schemas.js'
import { recordingStatuses, type ByteRange, type RecordingView } from '../../../phone-io/recordings/types.js'

/** Codes of errors that concern a recording and not its phone. */
const ownCodes = /^(recording|range)_/

export const recordingSchema = z
  .object({
    object: z.literal('recording'),
    id: id('recording'),
    phone: id('phone'),
    name: z.string().nullable(),
    status: openEnum(recordingStatuses, `One of ${recordingStatuses.join(', ')}.`),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    duration_ms: z.int().nullable(),
    size_bytes: z.int().nullable(),
    expires_at: timestamp.meta({
      description: 'Time at which the recording is deleted: 7 days after its start.',
    }),
  })
  .meta({ id: 'Recording' })
export const recordingsSchema = z.object({ data: z.array(recordingSchema) }).meta({ id: 'Recordings' })
export type RecordingJson = z.output<typeof recordingSchema>

export const recordingJson = (recording: RecordingView): RecordingJson => ({
  object: 'recording',
  id: recording.id,
  phone: recording.phone,
  name: recording.name,
  status: recording.status,
  started_at: recording.startedAt.toISOString(),
  ended_at: recording.endedAt?.toISOString() ?? null,
  duration_ms: recording.durationMs,
  size_bytes: recording.sizeBytes,
  expires_at: recording.expiresAt.toISOString(),
})

const recordingParams = phoneParams.extend({
  rid: z.string().meta({ description: 'A recording ID.', pattern: '^rec_[a-z2-7]{12}$' }),
})

const { name: longestName } = limits.recordings

const recordingBody = z
  .strictObject({
    name: z
      .string()
      .refine((name) => Array.from(name).length <= longestName, {
        message: `must have at most ${longestName} characters`,
      })
      .optional()
      .meta({ maxLength: longestName, description: 'A name for people; null if omitted.' }),
  })
  .prefault({})

const ofAnyPhone = ['phone_not_found', 'phone_not_allowed'] as const

export const startRecording: Route = (app, deps) => {
  app.post(
    '/phones/:id/recordings',
    {
      schema: {
        operationId: 'startRecording',
        summary: "Record the phone's screen",
        description:
          'A phone has at most one running recording. The recording ends when it is stopped or when the phone stops running. It captures everything on the screen.',
        tags: ['recordings'],
        params: phoneParams,
        headers: postHeaders,
        body: recordingBody,
        response: {
          201: recordingSchema,
          ...describeErrors(
            'payload_too_large',
            'recording_in_progress',
            'recording_limit_reached',
            ...sentOnce,
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const name = request.body.name ?? null
      const recording = await whileActive(deps, request, reply, (caller, phoneId, context) =>
        deps.services.recordings.start(caller, phoneId, name, context),
      )
      return reply.code(201).send(recordingJson(recording))
    },
  )
}

export const listRecordings: Route = (app, deps) => {
  app.get(
    '/phones/:id/recordings',
    {
      schema: {
        operationId: 'listRecordings',
        summary: 'List recordings, newest first',
        tags: ['recordings'],
        params: phoneParams,
        response: { 200: recordingsSchema, ...describeErrors(...ofAnyPhone) },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const phoneId = phoneIdOf(request.params)
      const recordings = await deps.services.recordings.list(callerOf(request), phoneId)
      await noteActivity(deps, request, phoneId)
      return { data: recordings.map(recordingJson) }
    },
  )
}

export const stopRecording: Route = (app, deps) => {
  app.post(
    '/phones/:id/recordings/:rid/stop',
    {
      schema: {
        operationId: 'stopRecording',
        summary: 'Stop a recording',
        description:
          'A recording that has already ended is returned unchanged. Its video is available once the status is `ready`.',
        tags: ['recordings'],
        params: recordingParams,
        headers: postHeaders,
        body: noBody,
        response: {
          200: recordingSchema,
          ...describeErrors('payload_too_large', 'recording_not_found', ...sentOnce),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const recording = await whileActive(deps, request, reply, (caller, phoneId, context) =>
        deps.services.recordings.stop(caller, phoneId, request.params.rid, context),
      )
      return recordingJson(recording)
    },
  )
}

export const readRecording: Route = (app, deps) => {
  const binary = { 'video/mp4': { schema: z.string().meta({ format: 'binary' }) } }
  app.get(
    '/phones/:id/recordings/:rid/video',
    {
      schema: {
        operationId: 'readRecording',
        summary: 'Download the video of a recording',
        description: 'Works in every status of the phone. Supports a `Range` of bytes.',
        tags: ['recordings'],
        params: recordingParams,
        response: {
          200: { description: 'The video; its name is in `Content-Disposition`.', content: binary },
          206: { description: 'The requested range.', content: binary },
          ...describeErrors(
            ...ofAnyPhone,
            'recording_not_found',
            'recording_not_ready',
            'range_not_satisfiable',
          ),
        },
      },
      config: { scope: 'phones:read' },
    },
    async (request, reply) => {
      const phoneId = phoneIdOf(request.params)
      const { rid } = request.params
      const wanted = (size: number): ByteRange | null => {
        // A condition cannot match, because the video has no validator (ETag or date).
        const isConditional = request.headers['if-range'] !== undefined
        const range = isConditional ? null : rangeOf(request.headers.range, size)
        if (range !== 'outside') return range
        reply.header('content-range', `bytes */${size}`)
        throw new ApiError('range_not_satisfiable', { details: { recording: rid, size_bytes: size } })
      }
      deps.streams.hold(callerOf(request), reply)
      const video = await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.recordings.video(callerOf(request), phoneId, rid, wanted),
      )
      const { stream, sizeBytes, part } = video
      if (part) reply.code(206).header('content-range', `bytes ${part.from}-${part.to}/${sizeBytes}`)
      reply
        .header('content-disposition', contentDisposition(`${rid}.mp4`))
        .header('accept-ranges', 'bytes')
        .header('content-length', part ? part.to - part.from + 1 : sizeBytes)
      return sendStream(reply, 'video/mp4', stream)
    },
  )
}

export const deleteRecording: Route = (app, deps) => {
  app.delete(
    '/phones/:id/recordings/:rid',
    {
      schema: {
        operationId: 'deleteRecording',
        summary: 'Delete a recording and its video',
        description: 'A running recording is stopped first.',
        tags: ['recordings'],
        params: recordingParams,
        body: noBody,
        response: {
          200: z.object({ id: id('recording'), deleted: z.literal(true) }),
          ...describeErrors(
            'payload_too_large',
            ...ofAnyPhone,
            'recording_not_found',
            'recording_in_progress',
            'action_outcome_unknown',
            'phone_unavailable',
          ),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const phoneId = phoneIdOf(request.params)
      const { rid } = request.params
      const context = { requestId: request.id, signal: deps.lifetimes.work(reply) }
      await noted(deps, request, phoneId, ownCodes, () =>
        deps.services.recordings.delete(callerOf(request), phoneId, rid, context),
      )
      return { id: rid, deleted: true as const }
    },
  )
}

/**
 * Returns the byte range for a file of `size` bytes (RFC 9110); null for no range, several ranges or an invalid header;
 * `outside` if the range begins after the file's end.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'outside' | null {
  const found = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '')
  const [, from = '', to = ''] = found ?? []
  if (from === '' && to === '') return null
  // A range whose end is before its start is invalid.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  const last = size - 1
  const range =
    from === ''
      ? { from: Math.max(0, size - Number(to)), to: last }
      : { from: Number(from), to: to === '' ? last : Math.min(Number(to), last) }
  return range.from <= range.to ? range : 'outside'
}
