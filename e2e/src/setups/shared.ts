/** The systems of the long tests that neither need settings nor break a part: `system`, and `bare` without the fast way. */
import type { TestProject } from 'vitest/node'
import { withoutFastWay } from '../system/system.js'
import { provideSystems } from './provide.js'

/** The number of test files that run in parallel. */
const barePhones = 4

export default (project: TestProject): Promise<() => Promise<void>> =>
  provideSystems(project, {
    // With fewer phones, tests wait for each other's phones, and the examples of a document run many times.
    system: { virtualPhones: 12, faultPort: true, env: { PHONERACK_OAUTH_REGISTRATION: 'on' } },
    bare: {
      virtualPhones: barePhones,
      faultPort: true,
      without: Array.from({ length: barePhones }, () => withoutFastWay),
    },
  })
