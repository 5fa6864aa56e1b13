/** The only system of the gate. */
import type { TestProject } from 'vitest/node'
import { provideSystems } from './provide.js'

export default (project: TestProject): Promise<() => Promise<void>> =>
  provideSystems(project, { system: { virtualPhones: 6, faultPort: true } })
