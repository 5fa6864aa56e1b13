/** The tool that records the screen. */
import { z } from 'zod'
import { type RecordingJson } from '../../routes/phones/recordings.js'
import { validationFailed } from '../../../base/validation/validation-error.js'
import { answer } from '../answers.js'
import { path } from '../api.js'
import { partAnswer, partOutput } from '../lists.js'
import { integer, next, offset, orNull, phoneId, string } from '../schemas.js'
import { quoted } from '../text.js'
import { adds, defineTool } from '../tool.js'

function nextFor({ id, phone, status }: RecordingJson): string {
  if (status === 'recording')
    return `record_screen ${quoted({ phone_id: phone, operation: 'stop', recording_id: id })}`
  const video = `GET /v1/phones/${phone}/recordings/${id}/video with the API key`
  return status === 'ready'
    ? `The MP4 file is at ${video}.`
    : `Once record_screen ${quoted({ phone_id: phone, operation: 'list' })} shows it as ready, the MP4 file is at ${video}.`
}

export const recordingTools = [
  defineTool({
    name: 'record_screen',
    title: 'Record the screen',
    description:
      'Start or stop a video of the screen, or list recordings. One runs at a time; kept for 7 days.',
    input: z.strictObject({
      phone_id: phoneId,
      operation: z.enum(['start', 'stop', 'list']),
      name: z.string().min(1).optional().describe('For start'),
      recording_id: z.string().min(1).optional().describe('For stop'),
      offset,
    }),
    output: { id: string, status: string, duration_ms: orNull(integer), ...partOutput, next },
    annotations: adds,
    async run({ phone_id: id, operation, name, recording_id: recordingId, offset = 0 }, api) {
      const all = path`/v1/phones/${id}/recordings`
      if (operation === 'list') {
        const found = await api.json<{ data: RecordingJson[] }>({ method: 'GET', path: all })
        return partAnswer(found.data, offset, 'recordings')
      }
      if (operation === 'stop' && recordingId === undefined)
        throw validationFailed('body', [
          { path: ['recording_id'], message: 'is required to stop a recording' },
        ])
      const recording =
        operation === 'start'
          ? await api.json<RecordingJson>({ method: 'POST', path: all, json: { name } })
          : await api.json<RecordingJson>({
              method: 'POST',
              path: path`/v1/phones/${id}/recordings/${recordingId ?? ''}/stop`,
            })
      return answer(recording, `recording ${recording.id} is ${recording.status}`, nextFor(recording))
    },
  }),
]
