/** `app_process`: starts the only Java program that this phone supports, the released scrcpy server. */
import { createHash } from 'node:crypto'
import { FsError } from '../../fs/errors.js'
import { type CommandIo, type CommandTable } from '../command.js'

const serverClass = 'com.genymobile.scrcpy.Server'
/** The versions of the released jars whose protocol `src/scrcpy` implements, by SHA-256. */
const knownJars: ReadonlyMap<string, string> = new Map([
  ['7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0', '3.3.3'],
  ['deacb991ed2509715160ffdc7907e47b4160eb30d1566217e9047fd5b8850cae', '4.1'],
])

/** Null for a missing jar. */
async function hashOf(io: CommandIo, path: string): Promise<string | null> {
  try {
    const hash = createHash('sha256')
    const reader = await io.fs.openRead(io.path(path))
    try {
      for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) hash.update(chunk)
      return hash.digest('hex')
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof FsError) return null
    throw error
  }
}

async function appProcess(io: CommandIo): Promise<number> {
  const rest = [...io.args]
  while (rest[0]?.startsWith('-') === true) rest.shift()
  const [, className = '', ...args] = rest.filter((arg) => !arg.startsWith('--nice-name'))
  const jar = io.env['CLASSPATH'] ?? ''
  const hash = await hashOf(io, jar)
  if (hash === null) {
    await io.err(
      `java.lang.ClassNotFoundException: Didn't find class "${className}" on path: DexPathList[[],nativeLibraryDirectories=[/system/lib64]]\nAborted \n`,
    )
    return 134
  }
  if (io.android.missing.has('scrcpy')) {
    // Phones with a framework that the server does not support fail like this: the server's first call by
    // reflection fails.
    await io.err(
      '[server] ERROR: Exception on thread Thread[main,5,main]\njava.lang.AssertionError: java.lang.reflect.InvocationTargetException\n\tat com.genymobile.scrcpy.wrappers.ServiceManager.getService(ServiceManager.java:42)\n\tat com.genymobile.scrcpy.Server.main(Server.java:211)\n',
    )
    return 1
  }
  const serverVersion = knownJars.get(hash)
  if (className !== serverClass || serverVersion === undefined) {
    await io.err(
      `app_process: this phone is virtual and runs no Java: only ${serverClass} of a released scrcpy server with a known sha256, not ${hash}\n`,
    )
    return 1
  }
  return io.android.scrcpyServer({
    ...io,
    args,
    sockets: io.android.sockets,
    world: io.android.world,
    model: io.android.properties.get('ro.product.model'),
    serverVersion,
    uptimeMs: () => io.android.uptimeMs,
    removeJar: () => io.fs.unlink(io.path(jar)),
  })
}

export const appProcessCommands: CommandTable = { app_process: appProcess }
