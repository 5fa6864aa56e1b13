/** Reads steps and their screens. */
import { limits, type Action, type Observation } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { Prisma } from '../../gen/prisma/client.js'
import { unpack, unpackJson } from './pack.js'
import { type StoredOutcome, type StoredRequest } from './recorder.js'
import { type StepPicture, type StepStatus, type StepView, type StepWay } from './types.js'

export interface StepRow {
  id: string
  phoneId: string
  sessionId: string
  requestId: string
  keyId: string
  keyName: string | null
  via: StepWay
  client: string | null
  status: StepStatus
  startedAt: Date
  endedAt: Date | null
  request: Uint8Array
  outcome: Uint8Array | null
  textKept: boolean
  beforeId: string | null
  afterId: string | null
  pictureId: string | null
  picture: { format: 'jpeg' | 'png'; width: number; height: number; scale: number; size_bytes: number } | null
  /** The size of the step's screens as JSON, in bytes. */
  screenBytes: bigint
}

export interface StepsOf {
  phoneId: string
  /** Null: steps of every session. */
  sessionId: string | null
}

const columns = Prisma.sql`s.id, s.phone_id as "phoneId", s.session_id as "sessionId", s.request_id as "requestId",
  s.key_id as "keyId", k.name as "keyName", s.via, s.client, s.status, s.started_at as "startedAt",
  s.ended_at as "endedAt", s.request, s.outcome, s.text_kept as "textKept", s.before_id as "beforeId",
  s.after_id as "afterId", s.picture_id as "pictureId", s.picture,
  (select coalesce(sum(c.json_bytes), 0) from step_screens c
    where c.phone_id = s.phone_id and c.id in (s.before_id, s.after_id)) as "screenBytes"`
const from = Prisma.sql`from steps s left join api_keys k on k.id = s.key_id`

const whichOf = (
  core: Core,
  { phoneId, sessionId }: StepsOf,
): Prisma.Sql => Prisma.sql`s.phone_id = ${phoneId}
  and s.started_at > ${new Date(core.clock.now().getTime() - core.rules.recordings.lifeMs)}
  ${sessionId === null ? Prisma.empty : Prisma.sql`and s.session_id = ${sessionId}`}`

/** A position in the order of steps. */
export interface At {
  at: Date
  id: string
}

/** Newest first. */
export const readStepsBefore = (
  core: Core,
  of: StepsOf,
  before: At | null,
  limit: number,
): Promise<StepRow[]> =>
  core.db.$queryRaw<StepRow[]>`select ${columns} ${from} where ${whichOf(core, of)}
    ${before === null ? Prisma.empty : Prisma.sql`and (s.started_at, s.id) < (${before.at}, ${before.id})`}
    order by s.started_at desc, s.id desc limit ${limit}`

/** Oldest first. */
export const readStepsAfter = (
  core: Core,
  of: StepsOf,
  after: At | null,
  limit: number,
): Promise<StepRow[]> =>
  core.db.$queryRaw<StepRow[]>`select ${columns} ${from} where ${whichOf(core, of)}
    ${after === null ? Prisma.empty : Prisma.sql`and (s.started_at, s.id) > (${after.at}, ${after.id})`}
    order by s.started_at, s.id limit ${limit}`

export async function readStep(core: Core, phoneId: string, id: string): Promise<StepRow | null> {
  const [row] = await core.db.$queryRaw<StepRow[]>`select ${columns} ${from}
    where ${whichOf(core, { phoneId, sessionId: null })} and s.id = ${id}`
  return row ?? null
}

/** The session of the newest step; null: the phone has no steps. */
export async function lastSession(core: Core, phoneId: string): Promise<string | null> {
  const [row] = await core.db.$queryRaw<{ id: string }[]>`select s.session_id as id from steps s
    where ${whichOf(core, { phoneId, sessionId: null })} order by s.started_at desc, s.id desc limit 1`
  return row?.id ?? null
}

/** A step with inflated JSON. */
interface InflatedStep {
  row: StepRow
  request: Buffer
  outcome: Buffer | null
}

/**
 * Inflates the first steps of a page, until their JSON reaches `mostBytes`, including their screens if those
 * are shown. The page keeps at least one step.
 */
export function inflatePage(
  rows: readonly StepRow[],
  mostBytes: number,
  withScreens: boolean,
): InflatedStep[] {
  const page: InflatedStep[] = []
  let bytes = 0
  for (const row of rows) {
    const step = inflate(row)
    bytes += step.request.length + (step.outcome?.length ?? 0) + (withScreens ? Number(row.screenBytes) : 0)
    if (page.length > 0 && bytes > mostBytes) break
    page.push(step)
  }
  return page
}

export const inflate = (row: StepRow): InflatedStep => ({
  row,
  request: unpack(row.request),
  outcome: row.outcome && unpack(row.outcome),
})

export interface Screen {
  at: Date
  observation: Observation
}
/** Screens by snapshot ID. */
export type Screens = ReadonlyMap<string, Screen>

export const screenIds = (rows: readonly Pick<StepRow, 'beforeId' | 'afterId'>[]): string[] => [
  ...new Set(rows.flatMap(({ beforeId, afterId }) => [beforeId, afterId]).filter((id) => id !== null)),
]

/** Returns screens of a phone, the newest up to `mostBytes` of JSON. Expired screens are missing. */
export async function readScreens(
  core: Core,
  phoneId: string,
  ids: readonly string[],
  mostBytes = Number.MAX_SAFE_INTEGER,
): Promise<Screens> {
  if (ids.length === 0) return new Map()
  const found = await core.db.$queryRaw<
    { id: string; at: Date; body: Uint8Array }[]
  >`select id, at, body from (
      select id, at, body, sum(json_bytes) over (order by at desc, id) as bytes from step_screens
      where phone_id = ${phoneId} and id = any(${[...ids]})) screens
    where bytes <= ${mostBytes}`
  return new Map(found.map(({ id, at, body }) => [id, { at, observation: unpackJson(body) as Observation }]))
}

const parsed = (json: Buffer): unknown => JSON.parse(json.toString('utf8'))

/** Milliseconds after which a step without an outcome counts as ended. */
const longestMs = limits.actions.total + 10_000

export function viewOf(core: Core, step: InflatedStep, screens: Screens): StepView {
  const { row } = step
  const { actions, observe } = parsed(step.request) as StoredRequest
  const outcome = step.outcome && (parsed(step.outcome) as StoredOutcome)
  const isLost = row.status === 'running' && row.startedAt.getTime() + longestMs < core.clock.now().getTime()
  const screen = (id: string | null): Screen | null => (id === null ? null : (screens.get(id) ?? null))
  const before = screen(row.beforeId)
  return {
    id: row.id,
    phone: row.phoneId,
    session: row.sessionId,
    requestId: row.requestId,
    status: isLost ? 'unknown' : row.status,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    // A person sent the input, not the agent that has the link's key.
    by: {
      via: row.via,
      client: row.client,
      keyId: row.keyId,
      keyName: row.via === 'live' ? null : row.keyName,
    },
    observe,
    actions: row.via === 'live' && before ? withPoints(actions, before.observation) : actions,
    results: outcome?.results ?? [],
    completed: outcome?.completed ?? 0,
    error: outcome?.error ?? null,
    textKept: row.textKept,
    before: before?.observation ?? null,
    beforeAt: before?.at ?? null,
    after: screen(row.afterId)?.observation ?? null,
    picture: pictureOf(row),
    expiresAt: new Date(row.startedAt.getTime() + core.rules.recordings.lifeMs),
  }
}

export function pictureOf({ picture }: Pick<StepRow, 'picture'>): StepPicture | null {
  if (picture === null) return null
  const { size_bytes: sizeBytes, ...rest } = picture
  return { ...rest, sizeBytes }
}

/**
 * Converts fractions of a live view's picture to points of the screen before the step. Actions may have no
 * points (`gestures.ts`).
 */
const withPoints = (actions: readonly Action[], { screen }: Observation): Action[] =>
  actions.map((action) => {
    const points = Object.entries(action).flatMap(([name, value]: [string, unknown]) => {
      const field = name === 'fraction' ? 'target' : /^(from|to)_fraction$/.exec(name)?.[1]
      if (field === undefined || !Array.isArray(value)) return []
      const [x, y] = value as [number, number]
      return [[field, { x: Math.round(x * screen.width), y: Math.round(y * screen.height) }]]
    })
    return { ...action, ...Object.fromEntries(points) } as Action
  })
