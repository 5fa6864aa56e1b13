/**
 * `./scripts/contract [requests] [seed]`: the contract test with any number of requests, 20,000 by default.
 */
import { randomInt } from 'node:crypto'
import process from 'node:process'
import { withParts } from '../system/parts.js'
import { contractEnv, runContract } from './run.js'

const number = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise
  const found = Number(text)
  if (!Number.isSafeInteger(found) || found < 1) throw new Error(`${text} is not a whole number above 0`)
  return found
}

const [, , count, seed] = process.argv
const report = await withParts(async (parts) => {
  const system = await parts.startSystem({ virtualPhones: 4, env: contractEnv })
  return runContract(system, number(count, 20_000), number(seed, randomInt(1, 2 ** 31)))
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const limited = (report.statuses['429'] ?? 0) / report.requests
process.stdout.write(`${report.breaches.length} breaches, ${(limited * 100).toFixed(1)} % limited\n`)
process.exitCode = report.breaches.length === 0 && limited < 0.05 ? 0 : 1
