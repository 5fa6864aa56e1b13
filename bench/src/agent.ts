// bench: twenty tasks of an agent over MCP, CLI, SDK and plain HTTP, compared with mobile-mcp: calls, bytes, tokens, time
/**
 * Each way solves the tasks of `src/tasks` on fresh phones, with the same scripts, which take their targets only from what
 * the way returned. `./scripts/bench agent [--pace instant|fast|real|slow] [first words of tasks …]`; `WAYS=mcp,mobile-mcp` selects
 * ways, and `PHONERACK_MOTION=off` switches the signal of drawings off. The paces are in `virtual-phone/src/pace/pace.ts`.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { PhoneAgent } from '@phonerack/e2e/tasks/phone-agent.js'
import { PhoneState } from '@phonerack/e2e/tasks/phone-state.js'
import { type Task } from '@phonerack/e2e/tasks/task.js'
import { phoneCount, tasks } from '@phonerack/e2e/tasks/tasks.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone, type Tenant } from '@phonerack/e2e/system/tenant.js'
import { countedCli } from './ways/cli.js'
import { type CountedWay } from './ways/counted.js'
import { countedHttp } from './ways/http.js'
import { countedMcp } from './ways/mcp.js'
import { countedMobile } from './ways/mobile.js'
import { countedSdk } from './ways/sdk.js'
import { watchMachine } from './load.js'

interface Phone {
  id: string
  state: PhoneState
}
type Open = (system: System, tenant: Tenant, phone: Phone) => CountedWay | Promise<CountedWay>

const ways: Readonly<Record<string, Open>> = {
  mcp: ({ up }, { admin }, { id }) => countedMcp(up.mcp_url, admin.key, id),
  'mcp-changes': ({ up }, { admin }, { id }) => countedMcp(up.mcp_url, admin.key, id, true),
  http: (_, { admin }, { id }) => countedHttp(admin, id),
  sdk: ({ up }, { admin }, { id }) => countedSdk(up.base_url, admin.key, id),
  cli: ({ up }, { admin }, { id }) => countedCli(up.base_url, admin.key, id),
  'mobile-mcp': (_system, _tenant, { state }) => countedMobile(state.serial, state.env),
}
/** Dumps the screen with the phone's only UiAutomation, which the agent's UI server would hold. */
const dumps = (way: string): boolean => way === 'mobile-mcp'

const {
  values: { pace },
  positionals: words,
} = parseArgs({ options: { pace: { type: 'string', default: 'instant' } }, allowPositionals: true })
const asked = tasks.map((task, at) => ({ task, at })).filter(({ task }) => isAsked(task))
function isAsked({ name }: Task): boolean {
  return words.length === 0 || words.some((word) => name.startsWith(word))
}
const wanted = (process.env['WAYS'] ?? Object.keys(ways).join(',')).split(',')
const unknown = wanted.filter((way) => !Object.hasOwn(ways, way))
if (unknown.length > 0 || asked.length === 0)
  throw new Error(`ways: ${Object.keys(ways).join(', ')}; tasks: ${tasks.map(({ name }) => name).join('; ')}`)

interface Result {
  task: string
  /** Null: solved. */
  failure: string | null
  calls: number
  bytes: number
  tokens: number
  ms: number
}

/**
 * Before each task, the phone shows its home screen. Errors of the script and a wrong state of the phone are
 * failures.
 */
async function solve({
  task,
  way,
  state,
}: {
  task: Task
  way: CountedWay
  state: PhoneState
}): Promise<Result> {
  await state.goHome()
  const { calls, bytes, tokens } = way.count
  const since = performance.now()
  let failure: string | null = null
  try {
    await task.solve(new PhoneAgent(way))
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  const ms = performance.now() - since
  if (failure === null) {
    const found = await task.state(state)
    if (!isDeepStrictEqual(found, task.wanted)) failure = `the phone has ${JSON.stringify(found)}`
  }
  const { count } = way
  return {
    task: task.name,
    failure,
    ms,
    calls: count.calls - calls,
    bytes: count.bytes - bytes,
    tokens: count.tokens - tokens,
  }
}

async function solveAll(name: string): Promise<Result[]> {
  const open = ways[name]
  if (!open) throw new Error(`no way ${name}`)
  const system = await startSystem({
    virtualPhones: phoneCount,
    ...(dumps(name) ? { without: Array.from({ length: phoneCount }, () => ['ui-server']) } : {}),
    env: {
      PHONERACK_REQUESTS_PER_MINUTE: '100000000',
      PHONERACK_VIRTUAL_PHONE_PACE: pace,
      LOG_LEVEL: 'warn',
    },
  })
  const stops: (() => Promise<void>)[] = [() => stopSystem(system)]
  try {
    const tenant = await newTenant(system)
    const lanes: { way: CountedWay; state: PhoneState }[] = []
    for (let lane = 0; lane < phoneCount; lane += 1) {
      const { id } = await readyPhone(tenant.admin)
      const state = await PhoneState.of(tenant, id)
      stops.push(() => state.stop())
      const way = await open(system, tenant, { id, state })
      stops.push(() => way.stop())
      lanes.push({ way, state })
    }
    const results: Result[] = []
    // The ways run one after another, so that a way's time contains no work of another way.
    for (const { task, at } of asked) {
      const lane = lanes[at % phoneCount]
      if (!lane) throw new Error('there are fewer phones than lanes')
      results.push(await solve({ task, ...lane }))
    }
    return results
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const sum = (results: readonly Result[], field: 'calls' | 'bytes' | 'tokens' | 'ms'): number =>
  results.reduce((total, result) => total + result[field], 0)

const machine = await watchMachine()
const all = new Map<string, Result[]>()
for (const way of wanted) all.set(way, await solveAll(way))

// Only tasks that every way solved can be compared.
const common = asked
  .map(({ task }) => task.name)
  .filter((name) =>
    [...all.values()].every((results) => results.some((each) => each.task === name && !each.failure)),
  )
const columns = ['calls', 'bytes', 'tokens', 'ms'] as const
const row = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(12) : String(cell).padStart(10))).join(' ')
const lines = [...all].map(([way, results]) => {
  const compared = results.filter(({ task }) => common.includes(task))
  const solved = results.filter(({ failure }) => failure === null).length
  return row([
    way,
    `${solved}/${results.length}`,
    ...columns.map((field) => Math.round(sum(compared, field))),
  ])
})
process.stdout.write(
  `\n${common.length} tasks that every way solved, on virtual phones with pace ${pace}; tokens of o200k_base (${await machine()})\n` +
    `${row(['', 'solved', ...columns])}\n${lines.join('\n')}\n`,
)
for (const [way, results] of all)
  for (const { task, failure } of results)
    if (failure !== null)
      process.stdout.write(`${way}: ${task}: ${failure.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`)
