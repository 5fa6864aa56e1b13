/** Recordings of a phone: started and stopped by members, and played in the page. */
import { ApiError, isStorable, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createHeldOpen } from '../../http/held-open.js'
import { parseBody } from '../../http/parse-body.js'
import { rangeOf, recordingJson } from '../phones/recordings.js'
import { changing, intoPhone, projectPath, type OfPhone, type ProjectDeps } from './caller.js'
import { inert } from './inert.js'

const base = `${projectPath}/phones/:phone/recordings`

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

type OfRecording = { Params: { phone: string; recording: string } }

export function addRecordings(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, recordings } = services
  const held = createHeldOpen({ kind: 'downloads', most: limits.streamsPerKey })
  app.get<OfPhone>(base, async (request, reply) => {
    const { caller, phoneId } = intoPhone(request, reply)
    return { data: (await recordings.list(caller, phoneId)).map(recordingJson) }
  })
  app.post<OfPhone>(base, async (request, reply) => {
    const { name = null } = parseBody(startBody, request)
    const started = await changing(request, reply, phones, ({ caller, phoneId, context }) =>
      recordings.start(caller, phoneId, name, context),
    )
    return reply.code(201).send(recordingJson(started))
  })
  app.post<OfRecording>(`${base}/:recording/stop`, async (request, reply) =>
    recordingJson(
      await changing(request, reply, phones, ({ caller, phoneId, context }) =>
        recordings.stop(caller, phoneId, request.params.recording, context),
      ),
    ),
  )
  app.delete<OfRecording>(`${base}/:recording`, async (request, reply) => {
    const { caller, phoneId, context } = intoPhone(request, reply)
    await recordings.delete(caller, phoneId, request.params.recording, context)
    return { id: request.params.recording, deleted: true }
  })
  app.get<OfRecording>(`${base}/:recording/video`, async (request, reply) => {
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
  })
}
