/** Recordings of a phone, which members start, stop and play. */
import { ApiError, isStorable, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createHeldOpen } from '../../http/held-open.js'
import { rangeOf, recordingJson, recordingSchema, recordingsSchema } from '../phones/recordings.js'
import { changing, intoPhone, type ProjectDeps } from './caller.js'
import { inert } from './inert.js'
import { route } from './route.js'

const startBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .refine((name) => Array.from(name).length <= limits.recordings.name && isStorable(name), {
      message: `must have at most ${limits.recordings.name} characters`,
    })
    .optional(),
})

export function addRecordings(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, recordings } = services
  const held = createHeldOpen({ kind: 'downloads', most: limits.streamsPerKey })
  route(
    app,
    'GET /projects/:project/phones/:phone/recordings',
    { answer: recordingsSchema },
    async (request, reply) => {
      const { caller, phoneId } = intoPhone(request, reply)
      return { data: (await recordings.list(caller, phoneId)).map(recordingJson) }
    },
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/recordings',
    { body: startBody, answer: recordingSchema, status: 201 },
    async (request, reply) => {
      const { name = null } = request.body
      const started = await changing(request, reply, phones, ({ caller, phoneId, context }) =>
        recordings.start(caller, phoneId, name, context),
      )
      return recordingJson(started)
    },
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/recordings/:recording/stop',
    { answer: recordingSchema },
    async (request, reply) =>
      recordingJson(
        await changing(request, reply, phones, ({ caller, phoneId, context }) =>
          recordings.stop(caller, phoneId, request.params.recording, context),
        ),
      ),
  )
  route(app, 'DELETE /projects/:project/phones/:phone/recordings/:recording', {}, async (request, reply) => {
    const { caller, phoneId, context } = intoPhone(request, reply)
    await recordings.delete(caller, phoneId, request.params.recording, context)
    return { id: request.params.recording, deleted: true }
  })
  route(
    app,
    'GET /projects/:project/phones/:phone/recordings/:recording/video',
    {},
    async (request, reply) => {
      const { caller, phoneId } = intoPhone(request, reply)
      held.hold(caller, reply)
      const { recording } = request.params
      const video = await recordings.video(caller, phoneId, recording, (size) => {
        const range = rangeOf(request.headers.range, size)
        if (range !== 'outside') return range
        reply.header('content-range', `bytes */${size}`)
        throw new ApiError('range_not_satisfiable', { details: { recording, size_bytes: size } })
      })
      const { stream, sizeBytes, part } = video
      if (part) reply.code(206).header('content-range', `bytes ${part.from}-${part.to}/${sizeBytes}`)
      return reply
        .headers({ ...inert, 'accept-ranges': 'bytes' })
        .header('content-length', part ? part.to - part.from + 1 : sizeBytes)
        .type('video/mp4')
        .send(stream)
    },
  )
}
