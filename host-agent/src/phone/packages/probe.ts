/** The enrolment's probe of apps: reads the list, and creates and abandons an install session. */
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { run } from '../../adb/device/run.js'
import { parsePackageList } from './parse.js'
import { abandonSession, createSession } from './session.js'

/** Returns the evidence. @throws Error that names what the phone does not support */
export async function provePackages(transport: Transport, progress: Progress): Promise<string> {
  const list = command('cmd', 'package', 'list', 'packages', '--user', '0', '-f', '--show-versioncode')
  const apps = parsePackageList(await run(transport, list, progress))
  if (!apps.some((app) => app.package === 'android'))
    throw new Error('the package list does not contain Android itself')
  const session = await createSession(transport, 'com.example.probe', 1, progress)
  await abandonSession(transport, session, progress)
  return `${apps.length} packages were listed, and an install session was created and abandoned`
}
