/**
 * Computes the expected money a second time, from the rows of sessions and the ledger, by the specification
 * and without the code of `billing/`. For tests of random lifecycles.
 */
import { type Reader } from '../base/db/database.js'

const perSecond = 1000n
const minimum = 60n
const longest = 10_800n

/** A session with the totals of its ledger entries, and its phone. */
interface SessionRow {
  id: string
  phone_id: string
  started_at: Date
  ready_at: Date | null
  ended_at: Date | null
  end_reason: string | null
  idle_timeout: number
  max_duration: number
  billed_seconds: number | null
  cost_micros: bigint | null
  reserved_micros: bigint
  held: bigint
  released: bigint
  charged: bigint
  status: string
  last_active_at: Date | null
  start_deadline_at: Date | null
}

interface ProjectRow {
  balance: bigint
  reserved: bigint
  spend_limit: bigint
  frozen: boolean
  paused: boolean
  phones_without_key: string[] | null
}

interface Money {
  project: ProjectRow
  sessions: SessionRow[]
}

/** Reads the data of all checks with two statements. Each phone must have an idempotency key. */
export async function readMoney(db: Reader, projectId: string): Promise<Money> {
  const sessions = await db.$queryRaw<
    SessionRow[]
  >`select s.id, s.phone_id, s.started_at, s.ready_at, s.ended_at,
      s.end_reason, s.idle_timeout, s.max_duration, s.billed_seconds, s.cost_micros, s.reserved_micros,
      p.status, p.last_active_at, p.start_deadline_at,
      coalesce(sum(l.reserved_delta) filter (where l.kind = 'reserve'), 0)::bigint as held,
      coalesce(-sum(l.reserved_delta) filter (where l.kind = 'release'), 0)::bigint as released,
      coalesce(-sum(l.balance_delta) filter (where l.kind = 'charge'), 0)::bigint as charged
    from sessions s join phones p on p.id = s.phone_id left join ledger l on l.session_id = s.id
    where s.project_id = ${projectId} group by s.id, p.id`
  const projects = await db.$queryRaw<
    ProjectRow[]
  >`select balance_micros as balance, reserved_micros as reserved,
      spend_limit_micros as spend_limit, frozen_at is not null as frozen,
      (select paused_at is not null from service_state where id = 1) as paused,
      (select array_agg(p.id) from phones p where p.project_id = projects.id
        and not exists (select 1 from idempotency_keys k where k.phone_id = p.id)) as phones_without_key
    from projects where id = ${projectId}`
  const [project] = projects
  if (!project) throw new Error(`there is no project ${projectId}`)
  return { project, sessions }
}

export interface Funds {
  balance: bigint
  reserved: bigint
  spendLimit: bigint
  /** The cost of sessions that ended in the UTC month of `now`. */
  spentThisMonth: bigint
}

const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

export function fundsOf({ project, sessions }: Money, now: Date): Funds {
  const spent = sessions.filter(({ ended_at: at }) => at !== null && monthOf(at) === monthOf(now))
  const spentThisMonth = spent.reduce((sum, { charged }) => sum + charged, 0n)
  const { balance, reserved, spend_limit: spendLimit } = project
  return { balance, reserved, spendLimit, spentThisMonth }
}

/** The longest affordable `max_duration`, or 0 when the credit does not cover the shortest. */
export function longestPaid({ balance, reserved }: Funds): bigint {
  const seconds = (balance - reserved) / perSecond
  if (seconds < minimum) return 0n
  return seconds > longest ? longest : seconds
}

/** The expected result of admission for this credit, when no other check refuses. */
export function verdictOn(
  funds: Funds,
  asked: number | null,
): { code: 'insufficient_credits' | 'spend_limit_reached' } | { reserved: bigint } {
  const affordable = longestPaid(funds)
  const seconds = asked === null ? (affordable < 900n ? affordable || minimum : 900n) : BigInt(asked)
  const reserved = (seconds < minimum ? minimum : seconds) * perSecond
  if (reserved > funds.balance - funds.reserved) return { code: 'insufficient_credits' }
  if (funds.spentThisMonth + funds.reserved + reserved > funds.spendLimit)
    return { code: 'spend_limit_reached' }
  return { reserved }
}

/** Describes each error in the project's money. */
export function wrongMoney({ project, sessions }: Money): string[] {
  const open = sessions.filter(({ ended_at: at }) => at === null)
  const held = open.reduce((sum, session) => sum + session.held, 0n)
  return [
    ...(project.reserved === held ? [] : [`the project holds ${project.reserved}, its sessions ${held}`]),
    ...(project.reserved < 0n ? [`the project holds ${project.reserved}`] : []),
    ...(project.phones_without_key ?? []).map((id) => `${id} was made twice`),
    ...sessions.flatMap((session) => wrongIn(session).map((what) => `session ${session.id}: ${what}`)),
  ]
}

function wrongIn(session: SessionRow): string[] {
  const { held, released, charged, reserved_micros: reserved, max_duration: maxDuration } = session
  const wrong: string[] = []
  const check = (holds: boolean, what: string): void => void (holds || wrong.push(what))
  check(held === reserved, `holds ${reserved}, its entries say ${held}`)
  check(held >= minimum * perSecond, 'reserved less than a minute')
  check(BigInt(maxDuration) * perSecond <= held, `may run ${maxDuration} s with ${held} reserved`)
  if (session.ended_at === null) {
    check(released === 0n && charged === 0n, 'is open, and charged or released')
    return wrong
  }
  const seconds = secondsOf(session, session.ended_at)
  check(released === held, `released ${released} of ${held}`)
  check(session.billed_seconds === Number(seconds), `billed ${session.billed_seconds} s, not ${seconds}`)
  check(charged === seconds * perSecond, `charged ${charged} for ${seconds} s`)
  check(charged === session.cost_micros, `cost ${session.cost_micros}, charged ${charged}`)
  check(charged <= held, `charged ${charged} of ${held}`)
  const ran = session.ended_at.getTime() - session.started_at.getTime()
  check(ran <= maxDuration * 1000, `ended after ${ran} ms of ${maxDuration} s`)
  return wrong
}

/**
 * The charged seconds: from start to end, rounded up, at least a minute, at most the reservation. Zero when
 * the phone was never ready, unless the client ended it.
 */
function secondsOf(session: SessionRow, endedAt: Date): bigint {
  const byClient = session.end_reason === 'parked' || session.end_reason === 'deleted'
  if (session.ready_at === null && !byClient) return 0n
  const ms = BigInt(endedAt.getTime() - session.started_at.getTime())
  const up = ms / 1000n + (ms % 1000n > 0n ? 1n : 0n)
  const atLeast = up < minimum ? minimum : up
  const reserved = session.held / perSecond
  return atLeast < reserved ? atLeast : reserved
}

/**
 * Describes each open session that is past its end at `now`. After the due jobs, no such session may exist.
 */
export function runningPastTheirTime({ project, sessions }: Money, now: Date): string[] {
  return sessions.flatMap((session) => {
    if (session.ended_at !== null) return []
    const { id, status, last_active_at: active } = session
    const after = (seconds: number): number => session.started_at.getTime() + seconds * 1000
    const idleAt = active === null ? Infinity : active.getTime() + session.idle_timeout * 1000
    const over = [
      [after(Number(session.held / perSecond)) <= now.getTime(), 'past its reservation'],
      [after(session.max_duration) <= now.getTime(), 'past its duration'],
      [status === 'ready' && idleAt <= now.getTime(), 'past its idle time'],
      [session.start_deadline_at !== null && session.start_deadline_at <= now, 'past its deadline'],
      [project.frozen, 'in a frozen project'],
      [project.paused, 'while the service is paused'],
    ] as const
    return over.flatMap(([is, what]) =>
      is ? [`session ${id} of ${session.phone_id} (${status}) runs ${what}`] : [],
    )
  })
}
