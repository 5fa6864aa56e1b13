/** A separate project for a test, with a key of each preset, so that tests share no limits or money. */
import { setTimeout } from 'node:timers/promises'
import { observationSchema, parseUsd, type Observation } from '@phonerack/shared'
import { z } from 'zod'
import { accountSchema, Api, errorOf, phoneSchema, sessionSchema, type Phone, type Session } from './api.js'
import type { System } from './system.js'

export interface TenantOptions {
  name?: string
  creditUsd?: string
  spendLimitUsd?: string
  maxPhones?: number
  maxRunning?: number
}

export interface Tenant {
  projectId: string
  admin: Api
  agent: Api
  readOnly: Api
  operator: Api
}

const created = z.object({ id: z.string() })
const createdKey = z.object({ id: z.string(), key: z.string() })

export const operatorOf = (system: System): Api => new Api(system.up.operator_url, system.up.operator_token)

export async function newTenant(system: System, options: TenantOptions = {}): Promise<Tenant> {
  const operator = operatorOf(system)
  const answer = await operator.post('/operator/v1/projects', { name: options.name ?? `test ${Date.now()}` })
  const projectId = created.parse(answer.body).id
  const change = await operator.patch(`/operator/v1/projects/${projectId}`, {
    credit_usd: options.creditUsd ?? '100.000000',
    spend_limit_usd: options.spendLimitUsd ?? '1000.000000',
    max_phones: options.maxPhones ?? 20,
    max_running: options.maxRunning ?? 20,
  })
  if (change.status !== 200) throw new Error(`project: ${JSON.stringify(change.body)}`)
  const key = async (preset: string) => new Api(system.up.base_url, await newKey(system, projectId, preset))
  return {
    projectId,
    operator,
    admin: await key('admin'),
    agent: await key('agent'),
    readOnly: await key('read-only'),
  }
}

export async function newKey(
  system: System,
  projectId: string,
  preset: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { project: projectId, preset, expires: 'never', ...more }
  return createdKey.parse((await operatorOf(system).post('/operator/v1/keys', body)).body).key
}

/** Milliseconds between two lifecycle requests of a test that repeats them: a project may send 60 a minute. */
const lifecyclePauseMs = 2000

/** Creates a phone and waits until it is ready. Retries while other tests hold all phones. */
export async function readyPhone(api: Api, body: Record<string, unknown> = {}): Promise<Phone> {
  const answer = await untilFree(
    () => api.post('/v1/phones', body),
    (each) => each.status >= 300 && errorOf(each).code === 'capacity_unavailable',
    150_000,
  )
  if (answer.status >= 300) throw new Error(JSON.stringify(errorOf(answer)))
  const phone = phoneSchema.parse(answer.body)
  if (answer.status === 201) return phone
  return phoneSchema.parse((await api.get(`/v1/phones/${phone.id}?wait=ready&timeout=55`)).body)
}

/**
 * Starts a parked phone and waits until it is ready. Retries refusals that are retryable, as while the
 * phone's device reconnects.
 */
export async function startAgain(api: Api, id: string, body: Record<string, unknown> = {}): Promise<Phone> {
  const until = Date.now() + 150_000
  for (;;) {
    const answer = await api.post(`/v1/phones/${id}/start`, body)
    if (answer.status < 300) break
    const error = errorOf(answer)
    if (!error.retryable || Date.now() > until) throw new Error(`start: ${JSON.stringify(error)}`)
    await setTimeout(lifecyclePauseMs)
  }
  return phoneSchema.parse((await api.get(`/v1/phones/${id}?wait=ready&timeout=55`)).body)
}

export const getPhone = async (api: Api, id: string): Promise<Phone> =>
  phoneSchema.parse((await api.get(`/v1/phones/${id}`)).body)

export const observe = async (api: Api, id: string): Promise<Observation> =>
  observationSchema.parse((await api.get(`/v1/phones/${id}/observe`)).body)

export const sessionsOf = async (api: Api, id: string): Promise<Session[]> =>
  z
    .object({ data: z.array(sessionSchema), next_cursor: z.string().nullable() })
    .parse((await api.get(`/v1/phones/${id}/sessions`)).body).data

/** Balance, reserved and spent credit in micro-dollars. */
export async function moneyOf(api: Api): Promise<{ balance: bigint; reserved: bigint; spent: bigint }> {
  const account = accountSchema.parse((await api.get('/v1/account')).body)
  return {
    balance: parseUsd(account.balance_usd),
    reserved: parseUsd(account.reserved_usd),
    spent: parseUsd(account.spent_this_month_usd),
  }
}

/**
 * Polls until `done` returns true; throws after `timeoutMs`.
 * @param state returns the state for the error
 */
export async function eventually(
  what: string,
  timeoutMs: number,
  done: () => Promise<boolean>,
  state?: () => string,
): Promise<void> {
  const until = Date.now() + timeoutMs
  while (!(await done())) {
    if (Date.now() > until)
      throw new Error(`${what} did not happen within ${timeoutMs} ms${state ? `: ${state()}` : ''}`)
    await setTimeout(200)
  }
}

/**
 * Repeats requests until their answer no longer reports missing phones, and returns that answer, since other
 * tests may hold every phone for a moment. The interval respects the limit of lifecycle requests, which
 * counts requests that find no phone.
 */
export async function untilFree<T>(
  attempt: () => Promise<T>,
  findsNone: (answer: T) => boolean,
  withinMs = 300_000,
): Promise<T> {
  const until = Date.now() + withinMs
  for (;;) {
    const answer = await attempt()
    if (!findsNone(answer)) return answer
    if (Date.now() > until) throw new Error(`no phone was free within ${withinMs} ms`)
    await setTimeout(lifecyclePauseMs)
  }
}

/** Whether the output of a client reports that no phone is free. The Python SDK prints only the message. */
export const saysNoneFree = (output: string): boolean =>
  /capacity_unavailable|No free phone is available/.test(output)

/**
 * Repeats work of the SDK while no phone is free.
 * @throws the SDK's other errors
 */
export async function whenFree(work: () => Promise<void>): Promise<void> {
  const isFull = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === 'capacity_unavailable'
  const [last] = await untilFree(
    () => Promise.allSettled([work()]),
    ([ended]) => ended.status === 'rejected' && isFull(ended.reason),
  )
  if (last.status === 'rejected') throw last.reason
}
