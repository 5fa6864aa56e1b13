/** Recordings of a rented phone, and the facts that ffprobe reports about their videos. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Api } from '../system/api.js'
import { eventually } from '../system/tenant.js'

const execute = promisify(execFile)
const time = z.iso.datetime({ precision: 3 })

export const recordingSchema = z.strictObject({
  object: z.literal('recording'),
  id: z.string().regex(/^rec_[a-z2-7]{12}$/),
  phone: z.string().regex(/^ph_[a-z2-7]{12}$/),
  name: z.string().nullable(),
  status: z.string(),
  started_at: time,
  ended_at: time.nullable(),
  duration_ms: z.int().nullable(),
  size_bytes: z.int().nullable(),
  expires_at: time,
})
export type Recording = z.infer<typeof recordingSchema>

interface Recorded {
  api: Pick<Api, 'get' | 'post'>
  /** The path `/v1/phones/{id}`. */
  path: string
}

export async function startRecording(phone: Recorded, body?: object): Promise<Recording> {
  const answer = await phone.api.post(`${phone.path}/recordings`, body)
  if (answer.status !== 201) throw new Error(`recording: ${answer.status} ${JSON.stringify(answer.body)}`)
  return recordingSchema.parse(answer.body)
}

export const recordingsOf = async (phone: Recorded): Promise<Recording[]> =>
  z
    .strictObject({ data: z.array(recordingSchema) })
    .parse((await phone.api.get(`${phone.path}/recordings`)).body).data

export async function untilReady(phone: Recorded, id: string): Promise<Recording> {
  let found: Recording | undefined
  await eventually('the video', 150_000, async () => {
    found = (await recordingsOf(phone)).find((each) => each.id === id)
    if (found?.status === 'failed') throw new Error('the recording failed')
    return found?.status === 'ready'
  })
  if (!found) throw new Error('there is no such recording')
  return found
}

const probed = z.object({
  packets: z.array(z.object({ pts_time: z.coerce.number() })),
  streams: z.tuple([
    z.object({
      codec_name: z.literal('h264'),
      width: z.int(),
      height: z.int(),
      nb_read_frames: z.coerce.number(),
    }),
  ]),
  format: z.object({ duration: z.coerce.number() }),
})

/**
 * Downloads a video and decodes all of its pictures.
 * @throws Error when ffprobe reports a fault
 */
export async function probeVideo(phone: Recorded, id: string) {
  const answer = await phone.api.get(`${phone.path}/recordings/${id}/video`)
  if (answer.status !== 200) throw new Error(`video: ${answer.status} ${JSON.stringify(answer.body)}`)
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-video-'))
  try {
    const file = path.join(dir, 'video.mp4')
    await writeFile(file, answer.bytes)
    const fields = 'packet=pts_time:stream=codec_name,width,height,nb_read_frames:format=duration'
    const args = ['-v', 'error', '-count_frames', '-of', 'json', '-show_entries', fields, file]
    const { stdout, stderr } = await execute('ffprobe', args, { timeout: 150_000 })
    if (stderr !== '') throw new Error(stderr)
    const { packets, streams, format } = probed.parse(JSON.parse(stdout))
    const [{ width, height, nb_read_frames: frames }] = streams
    return {
      ms: format.duration * 1000,
      width,
      height,
      frames,
      /** The time of each picture, in milliseconds. */
      times: packets.map(({ pts_time: seconds }) => seconds * 1000),
      bytes: answer.bytes.length,
      type: answer.headers.get('content-type'),
      disposition: answer.headers.get('content-disposition') ?? '',
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
