/** Checks that all work ends within a minute after the last fault and the last request. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Topology } from '../parts/topology.js'
import { unsettledWork } from './database.js'
import type { Finding } from './witnesses.js'

const withinMs = 60_000

/** Returns the seconds that passed, and the work that did not end. */
export async function settle(
  system: Topology,
  when: string,
): Promise<{ seconds: number; findings: Finding[] }> {
  const began = performance.now()
  let left: string[] = []
  for (;;) {
    left = await leftOf(system)
    const seconds = (performance.now() - began) / 1000
    if (left.length === 0) return { seconds, findings: [] }
    if (performance.now() - began > withinMs) {
      const at = Date.now()
      const rule = `not settled ${withinMs / 1000} s after ${when}`
      return { seconds, findings: left.map((detail) => ({ rule, detail, at })) }
    }
    await sleep(500)
  }
}

async function leftOf(system: Topology): Promise<string[]> {
  try {
    const missing = system.shape.controls - system.balancer.ready().length
    // The balancer notices a killed replica half a second later.
    const parts = [...system.parts.values()]
    return [
      ...parts.filter((part) => !part.isRunning).map(({ name }) => `${name} does not run`),
      ...(missing === 0 ? [] : [`${missing} replicas are not ready`]),
      ...(await unsettledWork(system.databaseUrl)),
    ]
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [error.message]
  }
}
