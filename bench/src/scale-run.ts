/**
 * Runs one size of the bench of many phones: a system, its agents, and all its figures. Used by `scale.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@phonerack/shared'
import { startSyntheticRack } from './synthetic/rack.js'
import { databaseUrl } from '@phonerack/e2e/system/database.js'
import { pidOf, type Service } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { eventually, operatorOf } from '@phonerack/e2e/system/tenant.js'
import { figures } from './figures.js'
import { cpuOf } from './load.js'
import { memoryDuring, residentBytes } from './memory.js'
import { createPhones, listPhones, tenantsFor, type Created } from './scale-clients.js'
import { cpuOfPostgres, ScaleDatabase } from './scale-database.js'

/** The figures of one size. Times are milliseconds. */
export interface ScaleFigures {
  phones: number
  hosts: number
  /** Milliseconds that a phone takes to start and to park. */
  phoneMs: number
  createsPerSecond: number
  /** The processor time of the control plane and of Postgres per create, until the phone is ready. */
  createCpuMs: number
  createPostgresMs: number
  createP50: number
  createP99: number
  listP50: number
  listP99: number
  /** The number of parks at the end of an idle time, and the time from that end to the call at the agent. */
  parks: number
  parkP50: number
  parkP99: number
  /**
   * The processor time per second of the control plane, of Postgres and of the agents, while no client sends
   * requests.
   */
  idleCpuMs: number
  idlePostgresMs: number
  idleAgentsMs: number
  /** The transactions per second in that time. */
  idleTransactions: number
  rowsPerPhoneHour: number
  walBytesPerPhoneHour: number
  /** The resident bytes of the control plane after the idle measurement, and their highest value. */
  memory: number
  memoryPeak: number
  /** The load average of the last minute, at the end. */
  load: number
}

export const phonesPerHost = 50
/** The number of phones that their idle time parks. */
const parkedAtMost = 1000
/**
 * The idle time in seconds. It is long enough for the creates of these phones at the rate of the earlier
 * creates, and for all measurements while all phones run.
 */
const shortIdleFor = (creates: number, perSecond: number): number =>
  Math.ceil((creates / perSecond) * 1.5) + 60
/** The number of timed lists. */
const lists = 300
/**
 * Milliseconds: the pause before the idle measurement, in which activity is written, and the measurement's
 * length.
 */
const idle = { settleMs: 8000, watchedMs: 20_000 }
/**
 * Milliseconds. `setUpMs` and `setUpPerPhoneMs` add up to the longest time between two steps of the set-up;
 * `parkMs` is the longest delay of a park.
 */
const patience = { setUpMs: 240_000, setUpPerPhoneMs: 60, parkMs: 120_000 }

const environment = {
  LOG_LEVEL: 'warn',
  PHONERACK_REQUESTS_PER_MINUTE: '100000000',
  PHONERACK_LIFECYCLE_PER_MINUTE: '100000000',
  PHONERACK_WAITS_PER_KEY: '1000',
}

export async function measureScale(
  phones: number,
  phoneMs: number,
  say: (text: string) => void,
): Promise<ScaleFigures> {
  const log = createLogger('synthetic')
  log.level = 'error'
  const folder = await mkdtemp(path.join(tmpdir(), 'phonerack-scale-'))
  const system = await startSystem({ virtualPhones: 0, args: ['--control-only'], env: environment })
  const database = ScaleDatabase.open(await databaseUrl(system))
  /** When the agent got the call to park, by phone. */
  const parked = new Map<string, number>()
  const hosts = Math.ceil(phones / phonesPerHost)
  let rack: Awaited<ReturnType<typeof startSyntheticRack>> | undefined
  try {
    const pid = await pidFor(system, 'control-plane')
    rack = await startSyntheticRack({
      operator: operatorOf(system),
      controlUrl: system.up.base_url,
      dir: folder,
      log,
      agents: hosts,
      phonesPerAgent: Math.ceil(phones / hosts),
      isEnrolled: true,
      times: { startMs: phoneMs, parkMs: phoneMs },
      onCall: ({ kind, phoneId, at }) => {
        if (kind === 'park') parked.set(phoneId, at)
      },
    })
    say(`${hosts} hosts joined`)
    await until('all devices are known', () => database.count('devices'), phones)
    await database.enrolAll()
    const confirmed = () => database.count(`devices where state = 'free' and confirmed_epoch is not null`)
    await until('all devices are confirmed', confirmed, phones)
    say('all devices are confirmed')
    const keys = await tenantsFor(system, phones)
    const [measured, { peak }] = await memoryDuring(pid, () =>
      measure({ system, database, keys, pid, phones, parked, say }),
    )
    return { phones, hosts, phoneMs, ...measured, memoryPeak: peak, load: loadavg()[0] ?? Number.NaN }
  } finally {
    await database.close()
    await rack?.stop()
    await stopSystem(system)
    await rm(folder, { recursive: true, force: true })
  }
}

async function pidFor(system: System, service: Service): Promise<number> {
  const pid = await pidOf(system, service)
  if (pid === null) throw new Error(`${service} is not running`)
  return pid
}

const until = (what: string, read: () => Promise<number>, wanted: number): Promise<void> =>
  eventually(what, patience.setUpMs + wanted * patience.setUpPerPhoneMs, async () => (await read()) >= wanted)

interface Parts {
  system: System
  database: ScaleDatabase
  keys: Awaited<ReturnType<typeof tenantsFor>>
  /** The process ID of the control plane. */
  pid: number
  phones: number
  parked: ReadonlyMap<string, number>
  say: (text: string) => void
}

type Measured = Omit<ScaleFigures, 'phones' | 'hosts' | 'phoneMs' | 'memoryPeak' | 'load'>

async function measure({ system, database, keys, pid, phones, parked, say }: Parts): Promise<Measured> {
  const postmaster = await pidFor(system, 'postgres')
  const short = Math.min(phones / 2, parkedAtMost)
  const before = { control: await cpuOf(pid), postgres: await cpuOfPostgres(postmaster) }
  const first = await createPhones(keys, phones - short, 3600)
  const last = await createPhones(keys, short, shortIdleFor(short, (phones - short) / first.seconds))
  const seconds = first.seconds + last.seconds
  const spent = {
    createCpuMs: (((await cpuOf(pid)) - before.control) * 1000) / phones,
    createPostgresMs: (((await cpuOfPostgres(postmaster)) - before.postgres) * 1000) / phones,
  }
  const creates = figures('create', [...first.times, ...last.times])
  say(`${phones} phones are ready after ${seconds.toFixed(1)} s`)
  const list = figures('list', await listPhones(keys, lists))
  const quiet = await watchIdle(database, pid, postmaster, phones)
  const memory = await residentBytes(pid)
  // Parked phones would make the measured cost too low.
  if (parked.size > 0) throw new Error('phones were parked before the end of the idle time')
  say('waiting for the parks')
  const late = figures('park', await lateness(last.created, parked))
  return {
    createsPerSecond: phones / seconds,
    ...spent,
    createP50: creates.p50,
    createP99: creates.p99,
    listP50: list.p50,
    listP99: list.p99,
    parks: late.runs,
    parkP50: late.p50,
    parkP99: late.p99,
    ...quiet,
    memory,
  }
}

/** Measures the cost of phones while no client sends requests. */
async function watchIdle(database: ScaleDatabase, pid: number, postmaster: number, phones: number) {
  await sleep(idle.settleMs)
  const look = async () => ({
    at: performance.now(),
    control: await cpuOf(pid),
    postgres: await cpuOfPostgres(postmaster),
    agents: process.cpuUsage(),
    ...(await database.written()),
  })
  const before = await look()
  await sleep(idle.watchedMs)
  const after = await look()
  const seconds = (after.at - before.at) / 1000
  const ms = (cpu: (of: typeof after) => number): number => ((cpu(after) - cpu(before)) * 1000) / seconds
  const hourly = (of: 'rows' | 'bytes'): number => ((after[of] - before[of]) / seconds / phones) * 3600
  return {
    idleCpuMs: ms(({ control }) => control),
    idlePostgresMs: ms(({ postgres }) => postgres),
    idleAgentsMs: ms(({ agents }) => (agents.user + agents.system) / 1e6),
    idleTransactions: (after.transactions - before.transactions) / seconds,
    rowsPerPhoneHour: hourly('rows'),
    walBytesPerPhoneHour: hourly('bytes'),
  }
}

/** Milliseconds from the end of each idle time to the call at the agent. */
async function lateness(created: readonly Created[], parked: ReadonlyMap<string, number>): Promise<number[]> {
  const end = Math.max(...created.map(({ parksAt }) => parksAt))
  await eventually('all phones are parked', Math.max(0, end - Date.now()) + patience.parkMs, () =>
    Promise.resolve(created.every(({ id }) => parked.has(id))),
  )
  return created.map(({ id, parksAt }) => (parked.get(id) ?? Number.NaN) - parksAt)
}
