// The order of checks at every endpoint: each request breaks two successive rules, and the response is the
// error of the earlier rule. Runs with real Postgres and broker.
import { limits } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { errorOf } from '../testing/api.js'
import { endpoints, namesPhone, type Endpoint } from '../testing/endpoints.js'
import { useWorld, type Plane } from '../testing/world.js'
import { changeProject, createKey } from '../testing/operator.js'
import { type Preset } from '../base/core/caller.js'
import { type PhoneStatus } from '../base/core/statuses.js'

/** A broken rule, and its error. */
type Fault =
  | 'origin'
  | 'path'
  | 'method'
  | 'no key'
  | 'unknown key'
  | 'rate'
  | 'scope'
  | 'query'
  | 'header'
  | 'field'
  | 'no json'
  | 'size'
  | 'phone'
  | 'phone of others'
  | 'upload'
  | 'state'
  | 'frozen'
  | 'not there'

interface Operation {
  parameters?: { in: string; name: string; schema?: { type?: string } }[]
  requestBody?: { content: Record<string, unknown> }
}

const world = useWorld()
let plane: Plane
let paths: Record<string, Record<string, Operation>>
let built: Endpoint[]
/** The time is constant during a request and during the requests that exhaust its key's limit. */
let now = new Date('2026-03-04T05:06:00.000Z')
const nobody = 'ph_aaaaaaaaaaaa'
const noUpload = 'upl_aaaaaaaaaaaa'
const statuses = ['ready', 'parked', 'failed', 'deleted'] as const satisfies readonly PhoneStatus[]

/** Creates a project with a phone in each of `statuses`. */
interface Ground {
  projectId: string
  phones: Record<(typeof statuses)[number], string>
}
let usual: Ground
let frozen: Ground

async function groundOf(letter: string): Promise<Ground> {
  const { projectId } = await plane.tenant()
  const phones = Object.fromEntries(
    statuses.map((status) => [status, `ph_${letter}${status.padEnd(11, 'a')}`]),
  ) as Ground['phones']
  await plane.app.core.db.phone.createMany({
    data: statuses.map((status) => ({
      id: phones[status],
      projectId,
      keyId: 'k',
      name: status,
      status,
      createdAt: now,
    })),
  })
  return { projectId, phones }
}

beforeAll(async () => {
  // No job runs, so no phone changes its status.
  plane = await world.start({
    clock: { now: () => now },
    env: { PHONERACK_JOBS: 'off', PHONERACK_REQUESTS_PER_MINUTE: '1' },
  })
  usual = await groundOf('b')
  frozen = await groundOf('c')
  await changeProject(plane.app.core, frozen.projectId, { frozen: true })
  ;({ paths } = (await plane.server.inject({ url: '/openapi.json' })).json<{ paths: typeof paths }>())
  built = endpoints.filter((endpoint) => operationOf(endpoint))
  expect(built.length).toBeGreaterThanOrEqual(40)
})

const operationOf = ({ method, path }: Endpoint): Operation | undefined => paths[path]?.[method.toLowerCase()]
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

const keys = new Map<string, string>()
async function keyOf(ground: Ground, preset: Preset, limitedTo?: string): Promise<string> {
  const name = `${ground.projectId} ${preset} ${limitedTo ?? ''}`
  const known = keys.get(name)
  if (known) return known
  const input = { project: ground.projectId, preset, expires: 'never' as const }
  const { key } = await createKey(plane.app.core, limitedTo ? { ...input, phones: [limitedTo] } : input)
  keys.set(name, key)
  return key
}

/** Endpoints that accept any status of the phone. */
const calm = [
  'GET /v1/phones/{id}',
  'DELETE /v1/phones/{id}',
  'GET /v1/phones/{id}/sessions',
  'GET /v1/phones/{id}/apps/installs',
  'GET /v1/phones/{id}/recordings',
  'GET /v1/phones/{id}/recordings/{rid}/video',
  'DELETE /v1/phones/{id}/recordings/{rid}',
  'GET /v1/phones/{id}/steps',
  'GET /v1/phones/{id}/steps/export',
  'GET /v1/phones/{id}/steps/{sid}',
  'GET /v1/phones/{id}/steps/{sid}/screenshot',
  'GET /v1/phones/{id}/handoffs/{hid}',
  'DELETE /v1/phones/{id}/handoffs/{hid}',
]
/** The status in which an endpoint refuses, where the status is not `parked`, and the error. */
const refusedWhen: Record<string, ['failed' | 'deleted', string]> = {
  'PATCH /v1/phones/{id}': ['deleted', 'phone_deleted'],
  'POST /v1/phones/{id}/start': ['failed', 'phone_failed'],
  'POST /v1/phones/{id}/park': ['failed', 'phone_failed'],
}
const needsCredit = ['POST /v1/phones', 'POST /v1/phones/{id}/start', 'POST /v1/apps/uploads']

/**
 * The faults that apply to an endpoint, in the order of their checks. The faults of one step form a group.
 */
function stepsOf(endpoint: Endpoint): Fault[][] {
  const { method, path, scope } = endpoint
  const operation = operationOf(endpoint)
  const takesJson = operation?.requestBody?.content['application/json'] !== undefined
  const input: Fault[] = [
    ...(takesJson ? (['field', 'no json'] as const) : []),
    ...(operation?.requestBody ? (['size'] as const) : []),
    ...(repeated(endpoint) === null ? [] : (['query'] as const)),
    ...(method === 'POST' ? (['header'] as const) : []),
  ]
  const lacking: Fault[] = scope === null || scope === 'phones:read' ? [] : ['scope']
  const isUpload = path.startsWith('/v1/apps/uploads/{id}')
  const steps: Fault[][] = [
    ['origin'],
    ['path', 'method'],
    ...(scope === null ? [] : [['no key', 'unknown key'] as Fault[]]),
    // The poll of a setup is counted by its token, which is in the body.
    ...(path === '/v1/setup/token' ? [] : [['rate'] as Fault[]]),
    ...(scope === 'phones:create' ? [input, lacking] : [lacking, input]),
    namesPhone(endpoint) ? ['phone', 'phone of others'] : isUpload ? ['upload'] : [],
    namesPhone(endpoint) && !calm.includes(nameOf(endpoint)) ? ['state'] : [],
    needsCredit.includes(nameOf(endpoint))
      ? ['frozen']
      : nameOf(endpoint) === 'POST /v1/phones/{id}/apps'
        ? ['not there']
        : [],
  ]
  return steps.filter((step) => step.length > 0)
}

/** The endpoint's query with one parameter given twice. */
function repeated(endpoint: Endpoint): string | null {
  const own = operationOf(endpoint)?.parameters?.find(
    (each) => each.in === 'query' && each.schema?.type !== 'object',
  )
  if (!own) return null
  const value = own.name === 'path' ? '/sdcard/a' : '1'
  return `?${own.name}=${value}&${own.name}=${value}`
}

function answerTo(endpoint: Endpoint, fault: Fault): [number, string] {
  switch (fault) {
    case 'origin':
      return [403, 'browser_requests_not_allowed']
    case 'path':
      return [404, 'not_found']
    case 'method':
      return [405, 'method_not_allowed']
    case 'no key':
    case 'unknown key':
      return [401, 'invalid_api_key']
    case 'rate':
      return [429, 'rate_limited']
    case 'scope':
      return [403, 'insufficient_scope']
    case 'size':
      return [413, 'payload_too_large']
    case 'phone':
      return [404, 'phone_not_found']
    case 'phone of others':
      return [403, 'phone_not_allowed']
    case 'upload':
    case 'not there':
      return [404, 'upload_not_found']
    case 'state':
      return [409, refusedWhen[nameOf(endpoint)]?.[1] ?? 'phone_not_running']
    case 'frozen':
      return [402, 'project_frozen']
    default:
      return [400, 'validation_failed']
  }
}

function bodyOf(endpoint: Endpoint, faults: ReadonlySet<Fault>): { type: string; payload: string } | null {
  const isFile = endpoint.method === 'PUT' && endpoint.path.endsWith('/files')
  const type = isFile ? 'application/octet-stream' : 'application/json'
  if (faults.has('size')) {
    const most = endpoint.path.endsWith('/actions') ? limits.actionsBody : limits.jsonBody
    return { type, payload: 'x'.repeat((isFile ? limits.fileBytes : most) + 1) }
  }
  if (faults.has('no json')) return { type, payload: '{' }
  const own = faults.has('not there') ? { upload: noUpload } : endpoint.body
  const body = faults.has('field') ? { ...own, colour: 'red' } : own
  return body ? { type, payload: JSON.stringify(body) } : null
}

/** Sends as many requests as a minute allows. Requests with an invalid key are not counted. */
async function exhaust({ scope }: Endpoint, headers: Record<string, string>): Promise<void> {
  const most = scope === null ? limits.setup.requestsPerAddressPerMinute : 1
  const request = scope === null ? ({ method: 'POST', url: '/v1/setup' } as const) : { url: '/v1/account' }
  for (let sent = 0; sent < most; sent += 1)
    expect([200, 201, 401]).toContain((await plane.server.inject({ ...request, headers })).statusCode)
}

async function send(endpoint: Endpoint, faults: ReadonlySet<Fault>) {
  const ground = faults.has('frozen') ? frozen : usual
  const { phones } = ground
  const phone = faults.has('phone')
    ? nobody
    : faults.has('state')
      ? phones[refusedWhen[nameOf(endpoint)]?.[0] ?? 'parked']
      : phones.ready
  const other = phone === phones.ready ? phones.parked : phones.ready
  const preset: Preset = !faults.has('scope')
    ? 'admin'
    : endpoint.scope === 'phones:delete'
      ? 'agent'
      : 'read-only'
  const key = faults.has('unknown key')
    ? `prk_${'a'.repeat(43)}`
    : faults.has('no key') || endpoint.scope === null
      ? null
      : await keyOf(ground, preset, faults.has('phone of others') ? other : undefined)
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }

  now = new Date(now.getTime() + 60_000)
  if (faults.has('rate')) await exhaust(endpoint, authorization)
  const body = bodyOf(endpoint, faults)
  const path = endpoint.path
    .replace('{id}', endpoint.path.startsWith('/v1/apps/') ? noUpload : phone)
    .replace('{rid}', 'rec_aaaaaaaaaaaa')
    .replace('{hid}', 'hnd_aaaaaaaaaaaa')
    .replace('{package}', 'org.example.app')
  const query = faults.has('query') ? repeated(endpoint) : endpoint.query
  return plane.server.inject({
    method: (faults.has('method') ? 'PROPFIND' : endpoint.method) as 'GET',
    url: `${path}${faults.has('path') ? '/nothing/here' : ''}${query ?? ''}`,
    headers: {
      ...authorization,
      ...(faults.has('origin') ? { origin: plane.config.http.baseUrl } : {}),
      ...(faults.has('header') ? { 'idempotency-key': 'short' } : {}),
      ...(body ? { 'content-type': body.type } : {}),
    },
    ...(body ? { payload: body.payload } : {}),
  })
}

it('is the same at every endpoint for any two broken rules [5.1, 22.20]', { timeout: 300_000 }, async () => {
  const told: string[] = []
  let asked = 0
  for (const endpoint of built) {
    const steps = stepsOf(endpoint)
    for (const [at, step] of steps.entries()) {
      const later = steps[at + 1] ?? []
      // Combines each fault of one step with the first fault of the next step, and tests the last step alone,
      // to show that its faults are real.
      const pairs = [
        ...step.map((fault) => [fault, later[0]] as const),
        ...later.slice(1).map((fault) => [step[0], fault] as const),
      ]
      for (const [first, second] of pairs) {
        // A phone without a device is unreachable before its uploads are checked.
        if (first === undefined || first === 'not there') continue
        asked += 1
        const response = await send(endpoint, new Set([first, ...(second ? [second] : [])]))
        const [status, code] = answerTo(endpoint, first)
        const found = response.json<{ error?: { code: string } }>().error?.code
        if (found === code) errorOf(response, status, code)
        else told.push(`${nameOf(endpoint)}: ${first} and ${second}: ${response.statusCode} ${found}`)
      }
    }
  }
  expect(told).toEqual([])
  expect(asked).toBeGreaterThan(400)
})
