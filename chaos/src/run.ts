/** One run: start, load with faults, quiet, checks, restore, checks, stop. Called by `main.ts` and by a test. */
import { spawn } from 'node:child_process'
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises'
import { once, setMaxListeners } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Witnessed } from '@phonerack/virtual-phone'
import { finalFindings, watchInvariants } from './checks/database.js'
import { followEvents, judgeEvents, type Follower } from './checks/events.js'
import { judgeRecordings } from './checks/recordings.js'
import { settle } from './checks/settled.js'
import { judgeWitness, type Finding } from './checks/witnesses.js'
import { injectAll } from './faults/inject.js'
import { scheduleOf, type PlannedFault, type Shape, type Tempo } from './faults/schedule.js'
import { dump, restore } from './restore.js'
import { createLoad, deleteAll, type Load } from './load/load.js'
import { newKnowledge, type Knowledge } from './load/renter.js'
import { startTopology, type Topology } from './parts/topology.js'
import type { Ground } from './parts/part.js'
import { root } from '@phonerack/e2e/system/system.js'
import { stamp, Timeline } from './timeline.js'

export interface RunOptions {
  seed: number
  shape: Shape
  tempo: Tempo
  tenants: number
  rentersPerTenant: number
  randomEveryMs: number
  /** Milliseconds of load with faults. */
  durationMs: number
  /** Milliseconds of load before the dump, after it, and after the restore. */
  restoreMs: number
  say: (text: string) => void
  /** Aborts the run: all parts are stopped. */
  signal: AbortSignal
}

export interface Report {
  seed: number
  findings: Finding[]
  /** The violations, each with the time line around it. */
  texts: string[]
  /** The folder of logs, which stays when a violation was found. */
  dir: string
  figures: Record<string, unknown>
}

export async function run(options: RunOptions): Promise<Report> {
  const { seed, shape, signal, say } = options
  // Each wait of each client listens to this signal.
  setMaxListeners(0, signal)
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-chaos-'))
  const of = (...names: string[]): string => path.join(dir, ...names)
  await mkdir(of('logs'), { recursive: true, mode: 0o700 })
  const timeline = new Timeline(of('logs', 'timeline.log'), say)
  const ground: Ground = { dir, of, timeline }
  const findings: Finding[] = []
  const found = (finding: Finding): void => {
    findings.push(finding)
    timeline.note(`FOUND ${finding.rule}: ${finding.detail.slice(0, 600)}`)
  }
  const figures: Record<string, unknown> = {}
  const began = performance.now()
  const planned = scheduleOf(seed, options.durationMs, shape, options.tempo)
  timeline.note(
    `seed ${seed}, ${planned.length} faults in ${options.durationMs / 1000} s; logs in ${dir}/logs`,
  )
  const guard = startGuard(dir, shape)
  try {
    const system = await startTopology(ground, shape, signal)
    try {
      figures['startSeconds'] = secondsSince(began)
      await storm({ ...options, system, timeline, planned, found, figures, of })
    } finally {
      timeline.note('stops')
      await system.stop()
    }
  } catch (error) {
    if (!signal.aborted) throw error
    timeline.note(`aborted: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await guard.release()
  }
  if (signal.aborted) await rm(dir, { recursive: true, force: true })
  signal.throwIfAborted()
  figures['seconds'] = secondsSince(began)
  const texts = findings.map((finding) => explain(finding, timeline, dir))
  if (findings.length === 0) await rm(dir, { recursive: true, force: true })
  return { seed, findings, texts, dir, figures }
}

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 100) / 10

function explain({ rule, detail, at }: Finding, timeline: Timeline, dir: string): string {
  const lines = timeline.around(at).filter((line) => !line.includes(' FOUND '))
  return [
    `${stamp(at)} ${rule}: ${detail}`,
    ...lines.map((line) => `    ${line}`),
    `    logs: ${dir}/logs`,
  ].join('\n')
}

interface Storm extends RunOptions {
  system: Topology
  timeline: Timeline
  planned: readonly PlannedFault[]
  found: (finding: Finding) => void
  figures: Record<string, unknown>
  of: Ground['of']
}

async function storm(all: Storm): Promise<void> {
  const { system, timeline, found, figures, signal, seed } = all
  const knowledge = newKnowledge()
  const load = await createLoad(system, {
    seed,
    tenants: all.tenants,
    rentersPerTenant: all.rentersPerTenant,
    randomEveryMs: all.randomEveryMs,
    requestLog: all.of('logs', 'requests.log'),
    timeline,
    knowledge,
    report: found,
  })
  const followers = load.tenants.map((tenant) => followEvents(system.baseUrl, tenant))
  const watching = new AbortController()
  const samples = watchInvariants(system.databaseUrl, found, watching.signal)
  try {
    timeline.note('load begins')
    const over = new AbortController()
    const ends = AbortSignal.any([over.signal, signal])
    setMaxListeners(0, ends)
    const loading = load.run('storm', ends)
    try {
      await untilPhonesAreWrittenTo(all)
      timeline.note('faults begin')
      const [faults] = await Promise.all([
        injectAll(system, timeline, all.planned, signal),
        sleep(all.durationMs, undefined, { signal }).catch(() => undefined),
      ])
      figures['faults'] = faults
    } finally {
      over.abort()
      timeline.note('faults have ended; the last requests are answered')
      // When the run is stopped, the answers do not matter.
      if (!signal.aborted) await loading
      else loading.catch(() => undefined)
    }
    signal.throwIfAborted()
    await judge(all, load, knowledge, followers, 'the storm')
    await loseAndRestore(all, load, knowledge)
    await judge(all, load, knowledge, followers, 'the restore')
    figures['answers'] = load.watched.counts
  } finally {
    watching.abort()
    await Promise.all(followers.map((follower) => follower.stop()))
    figures['invariantSamples'] = await samples
  }
}

/** Runs before the first fault, so that faults hit work even on a machine on which phones start slowly. */
async function untilPhonesAreWrittenTo(all: Storm): Promise<void> {
  const until = performance.now() + 120_000
  while (!all.signal.aborted && performance.now() < until) {
    if ((await witnessed(all)).some(({ lines }) => writesIn(lines) > 0)) return
    await sleep(500, undefined, { signal: all.signal }).catch(() => undefined)
  }
}

/** Runs load, a dump, load that the restore undoes, the restore, and load. */
async function loseAndRestore(all: Storm, load: Load, knowledge: Knowledge): Promise<void> {
  const { system, timeline, signal } = all
  const work = async (phase: string): Promise<void> => {
    timeline.note(`load ${phase} begins`)
    const over = new AbortController()
    const ends = AbortSignal.any([over.signal, signal])
    setMaxListeners(0, ends)
    const loading = load.run(phase, ends)
    await sleep(all.restoreMs, undefined, { signal }).catch(() => undefined)
    over.abort()
    if (!signal.aborted) await loading
    else loading.catch(() => undefined)
    signal.throwIfAborted()
  }
  await work('before')
  const undoneDump = timeline.begin('dump', 'postgres')
  await dump(system)
  undoneDump()
  const sessions = new Set(knowledge.sessions)
  const recordings = knowledge.recordings.length
  await work('between')
  const undoneRestore = timeline.begin('restore', 'postgres')
  await restore(system)
  undoneRestore()
  // The restore undid the later sessions.
  knowledge.sessions = sessions
  knowledge.recordings.splice(recordings)
  await Promise.all([work('after'), load.visitSome(signal)])
}

/** Ends all parts when this process is killed. */
function startGuard(dir: string, { agents }: Shape): { release(): Promise<void> } {
  const racks = Array.from({ length: agents }, (_, index) => path.join(dir, `agent-${index + 1}`))
  const script = path.join(root, 'chaos/src/guard.mjs')
  const child = spawn(process.execPath, [script, dir, ...racks], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit')
  return {
    async release() {
      child.stdin.end('done\n')
      await ended
    },
  }
}

/** Runs all checks after the end of all work. At the end, every phone is deleted. */
async function judge(
  all: Storm,
  load: Load,
  knowledge: Knowledge,
  followers: readonly Follower[],
  when: string,
): Promise<void> {
  const { system, timeline, found, figures } = all
  const settled = await settle(system, when)
  settled.findings.forEach(found)
  timeline.note(`settled after ${settled.seconds.toFixed(1)} s`)
  const recordings = await judgeRecordings(system.baseUrl, knowledge)
  recordings.findings.forEach(found)
  const left = await deleteAll(system, load.tenants, 30_000)
  for (const detail of left) found({ rule: 'a phone cannot be deleted', detail, at: Date.now() })
  const wiped = await settle(system, `the deletion of all phones after ${when}`)
  wiped.findings.forEach(found)
  timeline.note(`all phones are deleted and wiped after ${wiped.seconds.toFixed(1)} s`)
  for (const finding of await finalFindings(system.databaseUrl, knowledge.sessions)) found(finding)
  const { findings, events } = await judgeEvents(system.databaseUrl, followers)
  findings.forEach(found)
  const states: Record<string, number> = {}
  for (const device of await system.operator.devices()) states[device.state] = (states[device.state] ?? 0) + 1
  const touched = await judgeWitnesses(all, knowledge)
  figures[when] = {
    settledSeconds: settled.seconds,
    wipedSeconds: wiped.seconds,
    recordings: recordings.statuses,
    devices: states,
    events,
    phones: knowledge.phones.size,
    sessions: knowledge.sessions.size,
    writesOnPhones: touched,
  }
}

/** Returns the number of named commands that arrived on the phones. */
async function judgeWitnesses(all: Storm, knowledge: Knowledge): Promise<number> {
  const phones = await witnessed(all)
  const tenantOf = (phone: string) => knowledge.phones.get(phone)
  for (const { serial, lines } of phones) judgeWitness(serial, lines, tenantOf).forEach(all.found)
  return phones.reduce((sum, { lines }) => sum + writesIn(lines), 0)
}

const writesIn = (lines: readonly Witnessed[]): number =>
  lines.filter(({ what }) => what === 'command').length

const witnessed = ({ system, of }: Storm): Promise<{ serial: string; lines: Witnessed[] }[]> =>
  Promise.all(
    system.racks.flatMap(({ ports }, index) =>
      ports.map(async (port) => ({
        serial: `rack-${index + 1} 127.0.0.1:${port}`,
        lines: await readWitness(of(`phones-${index + 1}`, String(port), 'witness.jsonl')),
      })),
    ),
  )

async function readWitness(file: string): Promise<Witnessed[]> {
  try {
    const text = await readFile(file, 'utf8')
    // The last line may be incomplete.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Witnessed)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
