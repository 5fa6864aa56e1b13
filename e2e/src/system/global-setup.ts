/** Systems for all test files that do not inject lasting faults. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { startSystem, stopSystem, withoutFastWay, type System } from './system.js'

declare module 'vitest' {
  interface ProvidedContext {
    system: System
    /** Like `system`; its phones have only the features of every phone (`withoutFastWay`). */
    bare: System
  }
}

/** The number of test files that run in parallel. */
const barePhones = 4

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await Promise.allSettled([
    // With fewer, tests wait for those of others, and the examples of a document run many times.
    startSystem({ virtualPhones: 12, faultPort: true, env: { PHONERACK_OAUTH_REGISTRATION: 'on' } }),
    startSystem({
      virtualPhones: barePhones,
      faultPort: true,
      without: Array.from({ length: barePhones }, () => withoutFastWay),
    }),
  ])
  const systems = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const packages = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-packages-'))
  const stop = async () => {
    await Promise.all([...systems.map(stopSystem), rm(packages, { recursive: true, force: true })])
  }
  const [system, bare] = systems
  if (!system || !bare) {
    await stop()
    throw new AggregateError(
      started.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])),
    )
  }
  project.provide('system', system)
  project.provide('bare', bare)
  project.provide('packages', packages)
  return stop
}
