/** The system whose parts the tests kill, stop and start again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { createPrivateCa } from '../system/private-ca.js'
import { freePort, withoutFastWay, type StartOptions } from '../system/system.js'
import { provideSystems } from './provide.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The options of the breakable system, with which a test starts it again. */
    breakableOptions: StartOptions
    /** The folder of a private authority that its control plane trusts. */
    authority: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const authority = await mkdtemp(path.join(tmpdir(), 'phonerack-ca-'))
  const options: StartOptions = {
    virtualPhones: 3,
    port: await freePort(),
    faultPort: await freePort(),
    without: [[], [], withoutFastWay],
    env: {
      // Tests that retry until a part is back exceed the specification's limits.
      PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
      PHONERACK_REQUESTS_PER_MINUTE: '1000000',
      // A test that fills the disk needs a small disk from the start.
      PHONERACK_RECORDING_MIN_FREE: '0',
      // Seconds that a phone may be unreachable.
      PHONERACK_RESTART_GRACE: '20',
      NODE_EXTRA_CA_CERTS: createPrivateCa(authority).file,
    },
  }
  project.provide('breakableOptions', options)
  project.provide('authority', authority)
  const stop = await provideSystems(project, { system: options })
  return async () => {
    await stop()
    await rm(authority, { recursive: true, force: true })
  }
}
