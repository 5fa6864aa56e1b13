/** Sends random requests to a running system and checks every answer against the description. */
import fc from 'fast-check'
import { z } from 'zod'
import { Api, type Answer } from '../system/api.js'
import type { System } from '../system/system.js'
import { newTenant, readyPhone } from '../system/tenant.js'
import { Contract } from './document.js'
import { requestsOf, type ContractRequest, type Place } from './requests.js'

export interface ContractReport {
  seed: number
  requests: number
  /** The number of answers by status. */
  statuses: Record<string, number>
  /** One text for each answer that the description does not allow. */
  breaches: string[]
  /** Method and path of the operations that answered with 2xx at least once. */
  succeeded: string[]
  operations: number
  /** Seconds from the first request to the last answer. */
  seconds: number
  /** The operations with the longest total time. */
  slowest: { operation: string; requests: number; meanMs: number; mostMs: number }[]
}

/** The longest allowed answer time, since no request asks for a wait of more than some seconds. */
const answerWithinMs = 60_000
const concurrency = 16
const steadyPhones = 2
/**
 * The number of phones and uploads that requests created and may change. Older objects are deleted, since
 * they would hold every device.
 */
const kept = { phones: 2, uploads: 6 }

const withId = z.object({ id: z.string() })
const createdHandoff = z.object({ phone: z.string() })

/** Raises the limits of the specification, so that this many requests are accepted. */
export const contractEnv = {
  PHONERACK_REQUESTS_PER_MINUTE: '1000000',
  PHONERACK_LIFECYCLE_PER_MINUTE: '1000000',
  PHONERACK_LIFECYCLE_WAIT: '1',
  PHONERACK_UPLOADS_PER_DAY: '100000',
  PHONERACK_REBOOT_EVERY: '1',
  PHONERACK_RESET_EVERY: '1',
}

/**
 * @param system with four phones and `contractEnv`
 * @param seed of the requests: the same seed makes the same requests, although phones change between them
 */
export async function runContract(system: System, count: number, seed: number): Promise<ContractReport> {
  const tenant = await newTenant(system, { creditUsd: '10000', spendLimitUsd: '10000', maxPhones: 100 })
  const contract = await Contract.of(system.up.base_url)
  const keys: Record<ContractRequest['key'], string> = {
    admin: tenant.admin.key,
    agent: tenant.agent.key,
    'read-only': tenant.readOnly.key,
    unknown: `prk_${'a'.repeat(43)}`,
    none: '',
  }
  const long = { idle_timeout: 3600, max_duration: 10_800 }
  const newSteady = async () => (await readyPhone(tenant.agent, long)).id
  const steady = await Promise.all(Array.from({ length: steadyPhones }, newSteady))
  const changing = [(await readyPhone(tenant.agent)).id]
  const uploads = ['upl_aaaaaaaaaaaa']
  /** The last hand-over of each phone. */
  const handoffs = new Map<string, string>()
  let sent = 0

  const fill = (request: ContractRequest): string => {
    let path = request.operation.path
    for (const [name, value] of Object.entries(request.path)) {
      const pick = (ids: string[]) => ids[sent % ids.length] ?? ''
      const of: Record<Place, () => string> = {
        'steady phone': () => pick(steady),
        'changing phone': () => pick(changing),
        upload: () => pick(uploads),
        // The path contains the phone's ID before this ID.
        handoff: () => handoffs.get(path.split('/')[3] ?? '') ?? 'hnd_aaaaaaaaaaaa',
      }
      const text = 'text' in value ? value.text : of[value.place]()
      path = path.replace(`{${name}}`, encodeURIComponent(text))
    }
    const query = request.query.map(
      ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
    )
    return query.length > 0 ? `${path}?${query.join('&')}` : path
  }
  const learn = async (request: ContractRequest, answer: Answer): Promise<void> => {
    const made = withId.safeParse(answer.body)
    if (!made.success || answer.status >= 300 || request.operation.method !== 'POST') return
    const { path } = request.operation
    if (path.endsWith('/handoffs')) handoffs.set(createdHandoff.parse(answer.body).phone, made.data.id)
    if (path === '/v1/apps/uploads') {
      uploads.push(made.data.id)
      uploads.splice(0, uploads.length - kept.uploads)
    }
    // A repeated Idempotency-Key returns a known phone.
    if (path !== '/v1/phones' || changing.includes(made.data.id)) return
    changing.push(made.data.id)
    for (const id of changing.splice(0, changing.length - kept.phones))
      await tenant.admin.delete(`/v1/phones/${id}`)
  }
  /** Starts the phones again that most requests use, after requests that stopped them. */
  const keepSteady = async (): Promise<void> => {
    for (const [index, id] of steady.entries()) {
      const answer = await tenant.agent.post(`/v1/phones/${id}/start`)
      if (answer.status < 400 || answer.status >= 500) continue
      // The other phones may hold every device.
      for (const other of changing) await tenant.admin.delete(`/v1/phones/${other}`)
      steady[index] = await newSteady()
    }
  }

  const report: ContractReport = {
    seed,
    requests: 0,
    statuses: {},
    breaches: [],
    succeeded: [],
    operations: contract.operations.length,
    seconds: 0,
    slowest: [],
  }
  const times = new Map<string, number[]>()
  const succeeded = new Set<string>()
  const queue = fc.sample(requestsOf(contract), { numRuns: count, seed })
  const work = async (): Promise<void> => {
    for (let request = queue.pop(); request; request = queue.pop()) {
      sent += 1
      if (sent % 500 === 0) await keepSteady()
      const { operation, headers, body, key, broken } = request
      const path = fill(request)
      const called = `${operation.method} ${operation.path}`
      const named = `${operation.method} ${path}${broken && ` (${broken})`}`
      const say = (what: string) =>
        report.breaches.push(`${named}: ${what}; sent ${body?.bytes.slice(0, 300) ?? 'nothing'}`)
      const began = performance.now()
      try {
        const answer = await new Api(system.up.base_url, keys[key]).request(operation.method, path, {
          headers: { ...headers, ...(body ? { 'content-type': body.mediaType } : {}) },
          ...(body ? { body: body.bytes } : {}),
          timeoutMs: answerWithinMs,
        })
        times.set(called, [...(times.get(called) ?? []), performance.now() - began])
        report.requests += 1
        report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
        const breach = contract.breach(operation, answer)
        if (breach !== null)
          say(`${breach}; answered ${answer.status} ${answer.bytes.toString().slice(0, 300)}`)
        if (answer.status < 300) succeeded.add(called)
        await learn(request, answer)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        say(`no answer: ${error.message}`)
      }
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: concurrency }, work))
  report.seconds = Math.round((performance.now() - began) / 1000)
  report.slowest = slowest(times)
  report.succeeded = [...succeeded].sort()
  for (const id of [...steady, ...changing]) await tenant.admin.delete(`/v1/phones/${id}`)
  return report
}

function slowest(times: ReadonlyMap<string, readonly number[]>): ContractReport['slowest'] {
  const sum = (all: readonly number[]) => all.reduce((before, ms) => before + ms, 0)
  return [...times]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .slice(0, 8)
    .map(([operation, all]) => ({
      operation,
      requests: all.length,
      meanMs: Math.round(sum(all) / all.length),
      mostMs: Math.round(Math.max(...all)),
    }))
}
