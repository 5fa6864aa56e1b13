/** One system for all test files that do not break it. */
import type { TestProject } from 'vitest/node'
import { startSystem, stopSystem, type System } from './system.js'

declare module 'vitest' {
  interface ProvidedContext {
    system: System
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem({ virtualPhones: 8, faultPort: true })
  project.provide('system', system)
  return () => stopSystem(system)
}
