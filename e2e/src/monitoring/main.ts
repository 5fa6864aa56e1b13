/**
 * `./scripts/check-monitoring --running`: every query of the dashboard and of the alert rules returns figures
 * of a running system. The argument is the program `prometheus`. Exits with 1 when a query returns no
 * figures.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expressionsOfRules } from '@phonerack/shared/testing/promql'
import { withParts, type Parts } from '../system/parts.js'
import { freePort, root } from '../system/system.js'
import { startLoad } from './load.js'
import { scrapeSeconds, startPrometheus } from './prometheus.js'
import { emptyParts, queriesOfDashboard } from './queries.js'

const phones = 2
/**
 * A series that does not start at zero begins with the first round, so only the second round is an increase.
 */
const rounds = 2

const [program = 'prometheus'] = process.argv.slice(2)
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const read = (name: string): Promise<string> => readFile(path.join(root, 'deploy/monitoring', name), 'utf8')

async function check(parts: Parts): Promise<number> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-monitoring-'))
  parts.add(() => rm(dir, { recursive: true, force: true }))
  // The host opens tunnels, so that the metrics of tunnels have figures.
  const tunnels = { PHONERACK_DIAL: 'true', PHONERACK_TUNNEL_LISTEN: `127.0.0.1:${await freePort()}` }
  const system = await parts.startSystem({ virtualPhones: phones, env: tunnels })
  const prometheus = await parts.start(startPrometheus(program, dir, system.up), (each) => each.stop())
  await prometheus.scraped()
  const from = Date.now()
  const load = await startLoad(system, phones)
  for (let round = 1; round <= rounds; round += 1) {
    say(`… load, round ${round} of ${rounds}`)
    await load.round()
    await sleep(3 * scrapeSeconds * 1000)
  }

  const rules = await prometheus.rules()
  const expected = expressionsOfRules(await read('alerts.yml')).length
  if (rules.length !== expected)
    throw new Error(`Prometheus has ${rules.length} alert rules instead of ${expected}`)
  const dashboard = queriesOfDashboard(await read('dashboard.json'))
  const alerts = rules.map(({ name, query }) => ({ of: name, expression: query }))
  let faults = 0
  const fault = (text: string): void => {
    faults += 1
    say(text)
  }
  for (const { name, health, lastError } of rules)
    if (health !== 'ok') fault(`${name} cannot be evaluated: ${lastError ?? health}`)
  for (const query of [...dashboard, ...alerts])
    for (const part of await emptyParts(prometheus, query, from)) fault(`${query.of} has no figures: ${part}`)
  say(`${dashboard.length} queries of the dashboard, ${alerts.length} alert rules: ${faults} faults`)
  return faults
}

process.exitCode = (await withParts(check)) === 0 ? 0 : 1
