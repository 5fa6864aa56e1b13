/**
 * Recordings of a virtual phone through the agent: over gRPC, from the phone's one
 * capture, until it is parked.
 */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { RecordingStatus, type RecordingServiceClient, type RecordingState } from '@phonerack/proto'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { createRecordingClient } from '../../testing/recording-client.js'
import { until } from '../../testing/until.js'

let both: PhoneAndHost
let client: RecordingServiceClient
beforeAll(async () => {
  both = await startPhoneAndHost()
  const { host, phone } = both
  await untilLink(host, phone.serial, 'unenrolled', 60_000)
  await host.control.enroll({ serial: phone.serial, fencingNumber: 1n }, 120_000)
  await session(host.control, phone.serial, 2n).start()
  client = await createRecordingClient(host)
})
afterAll(async () => {
  client.close()
  await both.stop()
})

type Answered<A> = (error: ServiceError | null, answer: A) => void
const promised = <A>(call: (callback: Answered<A>) => unknown): Promise<A> =>
  new Promise((resolve, reject) => {
    call((error, answer) => (error ? reject(error) : resolve(answer)))
  })
const deadline = () => ({ deadline: Date.now() + 60_000 })
const start = (recordingId: string, fencingNumber = 2n) => {
  const { assignment } = session(both.host.control, both.phone.serial, fencingNumber)
  return promised<{ startedAt: Date | undefined }>((callback) =>
    client.startRecording({ assignment, recordingId }, new Metadata(), deadline(), callback),
  )
}
const get = async (recordingId: string): Promise<RecordingState> => {
  const { recording } = await promised<{ recording: RecordingState | undefined }>((callback) =>
    client.getRecording({ recordingId }, new Metadata(), deadline(), callback),
  )
  if (!recording) throw new Error('the agent said nothing')
  return recording
}
const untilMade = async (recordingId: string): Promise<RecordingState> => {
  await until(
    async () => (await get(recordingId)).status === RecordingStatus.RECORDING_STATUS_READY,
    60_000,
    'the file',
  )
  return get(recordingId)
}

it('records a phone until it is parked, and sends the file in chunks', async () => {
  const id = 'rec_aaaaaaaaaaaa'
  const before = Date.now()
  const { startedAt } = await start(id)
  const begun = Date.now()
  expect(startedAt?.getTime()).toBeGreaterThanOrEqual(before)
  const phone = session(both.host.control, both.phone.serial, 2n)
  await phone.run([
    { type: 'open_app', package: 'com.phonerack.notes' },
    { type: 'wait', ms: 1000 },
  ])
  await expect(start('rec_bbbbbbbbbbbb')).rejects.toMatchObject({
    details: 'The phone is already recording.',
  })
  await expect(start('rec_cccccccccccc', 1n)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION })
  const last = Date.now()
  await session(both.host.control, both.phone.serial, 3n).park()
  const parked = Date.now()
  const made = await untilMade(id)
  expect(Number(made.durationMs)).toBeGreaterThan(last - begun - 200)
  expect(Number(made.durationMs)).toBeLessThan(parked - before + 200)

  const chunks: Buffer[] = []
  for await (const { chunk } of client.readRecording({ recordingId: id }, deadline()) as AsyncIterable<{
    chunk: Buffer
  }>)
    chunks.push(chunk)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(65_536)
  const file = Buffer.concat(chunks)
  expect(createHash('sha256').update(file).digest('hex')).toBe(made.sha256)
  expect(BigInt(file.length)).toBe(made.sizeBytes)

  await promised((callback) =>
    client.dropRecording({ recordingId: id }, new Metadata(), deadline(), callback),
  )
  await expect(get(id)).rejects.toMatchObject({ code: status.NOT_FOUND })
})
