/**
 * Shared helpers of the conformance tests of phones: a rented phone with its faults, batches, elements, and
 * the size of a picture.
 */
import { actionBatchResultSchema, observationSchema, type Element, type Observation } from '@phonerack/shared'
import { type z } from 'zod'
import { errorOf, forLater, type Answer, type Api } from '../system/api.js'
import { rentOfKind } from '../system/chosen.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { type System } from '../system/system.js'
import { newTenant, readyPhone, type Tenant } from '../system/tenant.js'

export interface Rented {
  tenant: Tenant
  api: Api
  id: string
  /** The path `/v1/phones/{id}`. */
  path: string
  faults: PhoneFaults
}

/** @param isFast whether the phone must have the fast way; otherwise any phone is used */
export async function rent(system: System, isFast = false): Promise<Rented> {
  const tenant = await newTenant(system)
  const { id } = await (isFast ? rentOfKind(system, tenant.admin, 'fast') : readyPhone(tenant.admin))
  const faults = await (await faultsOf(system)).ofPhone(id)
  return { tenant, api: tenant.admin, id, path: `/v1/phones/${id}`, faults }
}

export type Batch = Omit<z.infer<typeof actionBatchResultSchema>, 'observation'> & {
  observation: Observation | undefined
}

/**
 * Sends a batch and returns its answer, which must be a 200. The answer has `observation` only when it
 * contains elements.
 */
export const run = (phone: Rented, actions: readonly object[], observe = 'none'): Promise<Batch> =>
  forLater(sendBatch(phone, actions, observe))

async function sendBatch(phone: Rented, actions: readonly object[], observe: string): Promise<Batch> {
  const answer = await phone.api.post(`${phone.path}/actions`, { actions, observe })
  if (answer.status !== 200) throw new Error(`actions: ${answer.status} ${JSON.stringify(answer.body)}`)
  const { observation, ...batch } = actionBatchResultSchema.parse(answer.body)
  const seen = observationSchema.safeParse(observation)
  return { ...batch, observation: seen.data }
}

/** Runs a batch of which every action succeeds. Returns the screen after it. */
export async function act(phone: Rented, ...actions: readonly object[]): Promise<Observation> {
  const batch = await run(phone, actions, 'ui')
  if (batch.completed !== actions.length || !batch.observation)
    throw new Error(`${JSON.stringify(actions[batch.completed])}: ${JSON.stringify(batch)}`)
  return batch.observation
}

/** Runs a batch whose last entry failed. Returns that entry's error. */
export async function failureOf(phone: Rented, ...actions: readonly object[]) {
  const { results } = await run(phone, actions)
  const error = results.at(-1)?.error
  if (!error) throw new Error(`no action failed: ${JSON.stringify(results)}`)
  return error
}

export const look = async (phone: Rented): Promise<Observation> =>
  observationSchema.parse((await phone.api.get(`${phone.path}/observe`)).body)

/** Opens an app at its first screen. */
export const fresh = (app: string) => [
  { type: 'close_app', package: app },
  { type: 'open_app', package: app },
]

export const tap = (target: object) => ({ type: 'tap', target })

/** Returns the element whose resource ID ends in `id`. */
export function withId(seen: Observation, id: string): Element {
  const found = seen.elements.find((element) => element.id?.endsWith(`:id/${id}`))
  if (!found) throw new Error(`no ${id} on\n${seen.text}`)
  return found
}

/** Returns the result of `answer`, which must arrive before its deadline, in milliseconds from now. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const asked = performance.now()
  const given = await answer
  const took = Math.round(performance.now() - asked)
  if (took > ms) throw new Error(`answered after ${took} ms, and the deadline is ${ms}`)
  return given
}

/** Returns the status and code of a refusal. */
export const refusal = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code]

/** Returns the body of an answer that must have this status. */
export function bodyOf(answer: Answer, status = 200): unknown {
  if (answer.status !== status)
    throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export interface Picture {
  format: 'png' | 'jpeg'
  width: number
  height: number
}

/** Reads the size from the image itself: PNG's IHDR, or JPEG's start of frame. */
export function pictureOf(bytes: Buffer): Picture {
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (bytes.readUInt16BE(0) !== 0xffd8) throw new Error('neither PNG nor JPEG')
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    // The markers SOF0 to SOF15, except DHT, JPG and DAC.
    if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker))
      return { format: 'jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  throw new Error('a JPEG without a frame')
}
