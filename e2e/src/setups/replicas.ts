/** Two control planes on one database, behind a balancer. The tests kill them. */
import type { TestProject } from 'vitest/node'
import { startPair, type Pair } from '../system/replica.js'
import './provide.js'

declare module 'vitest' {
  interface ProvidedContext {
    pair: Pair
  }
}

/** A test with four clients creates phones while phones of another test are wiped. */
const phones = 8

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...pair } = await startPair(phones)
  project.provide('pair', pair)
  project.provide('systems', pair.systems)
  return close
}
