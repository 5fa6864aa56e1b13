/**
 * `./scripts/test-upgrade`: upgrades an earlier release to this release as docs/operations.md describes,
 * under load, and then starts the earlier control plane again. Fails if any request fails. Arguments: the
 * checkout of the earlier release, built, and its name. docs/decisions/0193
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureScrcpyServer, startNats, startPostgres, type Running } from '@phonerack/launcher'
import { OperatorClient } from '@phonerack/ctl/operator'
import { findProgram } from '@phonerack/launcher/programs'
import { hashSecret, newSecret } from '@phonerack/shared'
import { openInvariants } from '@phonerack/e2e/system/invariants.js'
import { root } from '@phonerack/e2e/system/system.js'
import { Api } from '@phonerack/e2e/system/api.js'
import { Balancer } from './balancer.js'
import { Load } from './load.js'
import { newRack, startAgent, startPhones, startReplica, type Release } from './programs.js'

const [earlierRoot, earlierName] = process.argv.slice(2)
if (!earlierRoot || !earlierName) throw new Error('the checkout of the earlier release is missing')
const earlier: Release = { name: earlierName, root: path.resolve(earlierRoot) }
const current: Release = { name: 'this release', root }
/** Seconds of load in each phase. */
const phaseSeconds = Number(process.env['PHASE_SECONDS'] ?? 10)
const phonesPerRack = 8

const adb = findProgram('adb')
const scrcpy = await ensureScrcpyServer(root, (text) => void process.stdout.write(`${text}\n`))
if (adb === null || scrcpy === null) throw new Error('adb or the scrcpy server is missing')
const tools = { adb, scrcpy }
const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-upgrade-'))
const token = newSecret('operator')
const running = new Set<Running>()
const balancer = new Balancer()
const keep = <T extends Running>(each: T): T => {
  running.add(each)
  return each
}
const stop = async (each: Running): Promise<void> => {
  await each.stop()
  running.delete(each)
}

async function eventually(name: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 90_000; !(await isTrue()); await sleep(200))
    if (Date.now() > until) throw new Error(`${name} did not happen within 90 s`)
}

const clients: { load: Load | null } = { load: null }
let [before, failedBefore] = [0, 0]
/** Lets the load run, and prints the requests since the last phase. */
async function phase(text: string): Promise<void> {
  await sleep(phaseSeconds * 1000)
  if (!clients.load) return
  const { requests, failures, sessions } = clients.load.counts
  const failed = failures.length - failedBefore
  process.stdout.write(
    `${failed === 0 ? '✓' : '✗'} ${text}: ${requests - before} requests, ${failed} failed (sessions so far: ${sessions})\n`,
  )
  ;[before, failedBefore] = [requests, failures.length]
}

async function upgrade(): Promise<void> {
  const postgres = keep(await startPostgres({ dir: path.join(dir, 'postgres'), forTests: true }))
  const nats = keep(await startNats({ dir: path.join(dir, 'nats') }))
  const databaseUrl = await postgres.createDatabase('phonerack')
  const shared = { dir, databaseUrl, nats, operatorTokenSha256: hashSecret(token) }
  const url = await balancer.listen()
  const replica = async (release: Release, name: string) => {
    const each = keep(await startReplica(shared, release, name))
    balancer.add(each.url)
    await balancer.hasReady(each.url)
    return each
  }

  const first = await replica(earlier, 'replica-1')
  const old = new OperatorClient(first.operatorUrl, token)
  const racks = [await newRack('rack-1', phonesPerRack), await newRack('rack-2', phonesPerRack)]
  const agents: Running[] = []
  for (const rack of racks) {
    keep(await startPhones(shared, current, rack))
    const options = { controlUrl: first.url, joinToken: (await old.joinToken()).token, ...tools }
    agents.push(keep(await startAgent(shared, earlier, rack, options)))
  }
  const all = racks.length * phonesPerRack
  await eventually('the listing of every phone', async () => {
    const devices = await old.devices()
    return devices.length === all && devices.every(({ link }) => link === 'unenrolled')
  })
  for (const { id } of await old.devices()) await old.enroll(id)
  await eventually('the enrolment of every phone', async () =>
    (await old.devices()).every(({ state }) => state === 'free'),
  )
  const project = await old.createProject({ name: 'upgrade', credit_usd: '1000' })
  await old.changeProject(project.id, { spend_limit_usd: '1000', max_phones: 50, max_running: 50 })
  const { key } = await old.createKey({
    project: project.id,
    preset: 'admin',
    expires: 'never',
    name: 'load',
  })
  const load = new Load(new Api(url, key))
  clients.load = load
  load.start(2)
  await phase(`1 control plane and 2 agents of ${earlier.name}`)

  const second = await replica(current, 'replica-2')
  await phase('a control plane of this release has migrated the database and serves too')
  // Releases from before 0197 end their requests when they stop.
  await balancer.takeOut(first.url)
  await stop(first)
  await replica(current, 'replica-3')
  await phase('two control planes of this release, the earlier control plane has stopped')

  const operator = new OperatorClient(second.operatorUrl, token)
  load.setParking(false)
  // A drained host must not keep a parked phone, which could not be started.
  await eventually('the end of parked phones', async () => {
    const { data } = (await new Api(url, key).get('/v1/phones')).body as { data: { status: string }[] }
    return data.every(({ status }) => !['parked', 'parking'].includes(status))
  })
  for (const [at, rack] of racks.entries()) {
    await operator.drainHost(rack.name)
    await eventually(`an empty ${rack.name}`, async () =>
      (await operator.devices()).every(
        ({ host_name: host, state }) => host !== rack.name || state === 'free' || state === 'offline',
      ),
    )
    const agent = agents[at]
    if (agent) await stop(agent)
    keep(await startAgent(shared, current, rack, { controlUrl: second.url, joinToken: null, ...tools }))
    await eventually(`${rack.name} online`, async () => {
      const devices = (await operator.devices()).filter(({ host_name: host }) => host === rack.name)
      const [host] = (await operator.hosts()).filter(({ name }) => name === rack.name)
      return host?.state === 'online' && devices.every(({ link }) => link === 'healthy')
    })
    await operator.undrainHost(rack.name)
    await phase(`the agent of ${rack.name} is upgraded${at === 0 ? ' (canary)' : ''}`)
  }

  load.setParking(true)
  await replica(earlier, 'replica-4')
  await phase(`a control plane of ${earlier.name} serves the migrated database and the upgraded agents too`)
  await load.stop()
  const invariants = await openInvariants(databaseUrl)
  try {
    await eventually('the end of all work', async () => (await invariants.underway()).length === 0)
    for (const violation of await invariants.violations())
      load.counts.failures.push(JSON.stringify(violation))
  } finally {
    await invariants.close()
  }
}

let isDone = false
try {
  await upgrade()
  isDone = true
} finally {
  await clients.load?.stop()
  await balancer.close()
  for (const each of [...running].toReversed()) await each.stop()
  const { requests = 0, sessions = 0, failures = [] } = clients.load?.counts ?? {}
  process.stdout.write(
    [
      ...failures.slice(0, 20),
      `${requests} requests, ${sessions} sessions, ${failures.length} failed`,
      '',
    ].join('\n'),
  )
  if (isDone && failures.length === 0) await rm(dir, { recursive: true, force: true })
  else {
    process.stdout.write(`Logs: ${dir}\n`)
    process.exitCode = 1
  }
}
