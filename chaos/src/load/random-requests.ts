/** A client that sends random valid and broken requests to every endpoint, like the contract test. */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { z } from 'zod'
import { requestsOf, type ContractRequest, type Place } from '@phonerack/e2e/contract/requests.js'
import type { Contract } from '@phonerack/e2e/contract/document.js'
import type { Knowledge } from './renter.js'
import type { Watched } from './watched.js'

export interface RandomOptions {
  name: string
  tenant: string
  keys: { admin: string; agent: string; 'read-only': string }
  seed: number
  contract: Contract
  watched: Watched
  knowledge: Knowledge
  /** Milliseconds between two requests. */
  everyMs: number
  signal: AbortSignal
}

const created = z.object({ id: z.string() })
const handoff = z.object({ id: z.string(), phone: z.string() })
/** The phones of this client. */
const kept = 2
/** The number is larger than the number of requests in a run. */
const count = 4000

export async function sendRandomRequests(options: RandomOptions): Promise<void> {
  const { contract, seed, signal, watched, knowledge, keys } = options
  const all: Record<ContractRequest['key'], string> = { ...keys, unknown: `prk_${'a'.repeat(43)}`, none: '' }
  const phones: string[] = []
  const uploads = ['upl_aaaaaaaaaaaa']
  const handoffs = new Map<string, string>()
  let sent = 0
  const placed = (place: Place, path: string): string => {
    const pick = (ids: string[], otherwise: string) => ids[sent % Math.max(ids.length, 1)] ?? otherwise
    if (place === 'upload') return pick(uploads, '')
    if (place === 'handoff') return handoffs.get(path.split('/')[3] ?? '') ?? 'hnd_aaaaaaaaaaaa'
    return pick(phones, 'ph_aaaaaaaaaaaa')
  }
  const own = (method: string, path: string, body?: object) =>
    watched.send(options.name, keys.admin, method, path, body === undefined ? {} : { body })
  for (const request of fc.sample(requestsOf(contract), { numRuns: count, seed })) {
    if (signal.aborted) break
    sent += 1
    if (sent % 10 === 1) await keepPhones()
    const { operation, headers, body, query } = request
    let path = operation.path
    for (const [name, value] of Object.entries(request.path)) {
      const text = 'text' in value ? value.text : placed(value.place, path)
      path = path.replace(`{${name}}`, encodeURIComponent(text))
    }
    const words = query.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    const answer = await watched.send(
      options.name,
      all[request.key],
      operation.method,
      words.length > 0 ? `${path}?${words.join('&')}` : path,
      {
        headers: { ...headers, ...(body ? { 'content-type': body.mediaType } : {}) },
        ...(body ? { body: body.bytes } : {}),
      },
      operation,
    )
    if (operation.method === 'POST' && answer !== null && answer.status < 300) {
      const made = created.safeParse(answer.body).data
      if (made && operation.path === '/v1/phones') keep(made.id)
      if (made && operation.path === '/v1/apps/uploads') uploads.splice(0, uploads.length - 5, made.id)
      const asked = handoff.safeParse(answer.body).data
      if (asked && operation.path.endsWith('/handoffs')) handoffs.set(asked.phone, asked.id)
    }
    await sleep(options.everyMs, undefined, { signal }).catch(() => undefined)
  }

  function keep(id: string): void {
    if (phones.includes(id)) return
    phones.push(id)
    knowledge.phones.set(id, options.tenant)
    knowledge.left.set(id, keys.admin)
  }

  /** Deletes older objects, and creates missing ones. */
  async function keepPhones(): Promise<void> {
    for (const id of phones.splice(0, Math.max(phones.length - kept, 0)))
      await own('DELETE', `/v1/phones/${id}`)
    if (phones.length >= kept) {
      for (const id of phones) await own('POST', `/v1/phones/${id}/start`, { wait: false })
      return
    }
    const made = created.safeParse((await own('POST', '/v1/phones', { wait: false }))?.body).data
    if (made) keep(made.id)
  }
}
