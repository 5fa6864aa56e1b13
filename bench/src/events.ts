// bench: creates of phones with and without the triggers that write events
/**
 * `./scripts/bench events`: synthetic agents whose phones start immediately; phones are created one after another, in blocks with
 * and without the triggers that write events, which are switched off in the database of the bench. Without the
 * triggers, no event is numbered or published. `BLOCKS` and `CREATES` change the numbers. Linux only.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger } from '@phonerack/shared'
import { startSyntheticRack } from './synthetic/rack.js'
import { databaseUrl } from '@phonerack/e2e/system/database.js'
import { pidOf } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { eventually, newTenant, operatorOf } from '@phonerack/e2e/system/tenant.js'
import { printShares } from './figures.js'
import { cpuOf, watchMachine } from './load.js'
import { createPhones } from './scale-clients.js'
import { cpuOfPostgres, ScaleDatabase } from './scale-database.js'

const blocks = Number(process.env['BLOCKS'] ?? 10)
const creates = Number(process.env['CREATES'] ?? 40)
/** The number of creates before the first block, which are not counted. */
const warmUp = 40
const phones = warmUp + 2 * blocks * creates
const phonesPerHost = 50
const patienceMs = 120_000

const log = createLogger('synthetic')
log.level = 'error'
const folder = await mkdtemp(path.join(tmpdir(), 'phonerack-events-'))
const system = await startSystem({
  virtualPhones: 0,
  args: ['--control-only'],
  env: {
    LOG_LEVEL: 'warn',
    PHONERACK_REQUESTS_PER_MINUTE: '100000000',
    PHONERACK_LIFECYCLE_PER_MINUTE: '100000000',
  },
})
const database = ScaleDatabase.open(await databaseUrl(system))
let rack: Awaited<ReturnType<typeof startSyntheticRack>> | undefined
try {
  rack = await startSyntheticRack({
    operator: operatorOf(system),
    controlUrl: system.up.base_url,
    dir: folder,
    log,
    agents: Math.ceil(phones / phonesPerHost),
    phonesPerAgent: phonesPerHost,
    isEnrolled: true,
    times: { startMs: 0, parkMs: 0 },
  })
  await eventually(
    'all devices are known',
    patienceMs,
    async () => (await database.count('devices')) >= phones,
  )
  await database.enrolAll()
  const confirmed = `devices where state = 'free' and confirmed_epoch is not null`
  await eventually(
    'all devices are confirmed',
    patienceMs,
    async () => (await database.count(confirmed)) >= phones,
  )
  const room = { creditUsd: '1000000.000000', spendLimitUsd: '1000000.000000' }
  const { admin } = await newTenant(system, { ...room, maxPhones: phones, maxRunning: phones })
  const [control, postgres] = [await pidOf(system, 'control-plane'), await pidOf(system, 'postgres')]
  if (control === null || postgres === null) throw new Error('the control plane or Postgres is not running')

  await createPhones([admin], warmUp, 3600, 1)
  const sides = [false, true].map((isOn) => ({ isOn, times: [] as number[], control: 0, postgres: 0 }))
  const machine = await watchMachine()
  for (let block = 0; block < blocks; block += 1)
    for (const side of block % 2 === 0 ? sides : sides.toReversed()) {
      await database.switchEvents(side.isOn)
      const before = [await cpuOf(control), await cpuOfPostgres(postgres)] as const
      side.times.push(...(await createPhones([admin], creates, 3600, 1)).times)
      side.control += (await cpuOf(control)) - before[0]
      side.postgres += (await cpuOfPostgres(postgres)) - before[1]
    }
  const named = sides.map((side) => ({ ...side, name: side.isOn ? 'with events' : 'without triggers' }))
  printShares(
    `Create until ready, one after another (${await machine()})`,
    named.map(({ name, times }) => [name, times]),
  )
  for (const { name, times, ...spent } of named) {
    const each = (seconds: number): string => ((seconds * 1000) / times.length).toFixed(1)
    process.stdout.write(
      `${name}: processor time of a create: control plane ${each(spent.control)}, Postgres ${each(spent.postgres)} ms\n`,
    )
  }
  process.stdout.write(`${await database.count('events')} events of ${phones} creates\n`)
} finally {
  await database.close()
  await rack?.stop()
  await stopSystem(system)
  await rm(folder, { recursive: true, force: true })
}
