/** Starts the systems of a project of `vitest.config.ts`, once for all of its test files. */
import type { TestProject } from 'vitest/node'
import { startSystem, stopSystem, type StartOptions, type System } from '../system/system.js'

declare module 'vitest' {
  interface ProvidedContext {
    system: System
    /** Like `system`, with phones that have only the features of every phone (`withoutFastWay`). */
    bare: System
    /** All systems of the project. */
    systems: System[]
  }
}

type Name = 'system' | 'bare'

/**
 * Provides each system under its name. Returns a function that stops the systems.
 * @throws AggregateError when a system does not start
 */
export async function provideSystems(
  project: TestProject,
  options: Partial<Record<Name, StartOptions>>,
): Promise<() => Promise<void>> {
  const entries = Object.entries(options) as [Name, StartOptions][]
  const started = await Promise.allSettled(
    entries.map(async ([name, each]) => ({ name, system: await startSystem(each) })),
  )
  const systems = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const stop = async () => {
    await Promise.all(systems.map(({ system }) => stopSystem(system)))
  }
  const errors = started.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  if (errors.length > 0) {
    await stop()
    throw new AggregateError(errors)
  }
  for (const { name, system } of systems) project.provide(name, system)
  project.provide(
    'systems',
    systems.map(({ system }) => system),
  )
  return stop
}
