/** `pm install`, its sessions, `uninstall` and `clear`. Source of formats: AOSP `PackageManagerShellCommand`. Called by `pm.ts`. */
import { InstallError } from '../../android/apk/error.js'
import { makeDataFolder, uninstall } from '../../android/install/commit.js'
import { parseInstallOptions, UnknownOption } from '../../android/install/options.js'
import type { Session } from '../../android/install/sessions.js'
import type { ByteSource } from '../../android/streams.js'
import { root } from '../../fs/access.js'
import { FsError } from '../../fs/errors.js'
import { decode } from '../bytes.js'
import type { CommandIo } from '../command.js'

type PmVerb = (io: CommandIo, args: readonly string[]) => Promise<number>

/** Prints an exception of the service like Android's `ShellCommand`. */
export async function thrown(io: CommandIo, verb: string, what: string): Promise<number> {
  await io.err(`\nException occurred while executing '${verb}':\n${what}\n`)
  return 255
}

/** Prints a refusal with the package manager's text. */
async function judged(io: CommandIo, verb: string, body: () => Promise<number>): Promise<number> {
  try {
    return await body()
  } catch (error) {
    if (error instanceof InstallError) {
      await io.out(Buffer.from(`Failure [${error.text}]\n`).toString('latin1'))
      return 1
    }
    if (error instanceof UnknownOption)
      return thrown(io, verb, `java.lang.IllegalArgumentException: ${error.message}`)
    throw error
  }
}

class NoSession extends Error {}

function sessionOf(io: CommandIo, text: string | undefined): Session {
  const session = /^\d+$/.test(text ?? '') ? io.android.installSessions.find(Number(text)) : null
  if (session === null) throw new NoSession(`Caller has no access to session ${text ?? ''}`)
  return session
}

/** Android answers an invalid session ID with an exception. */
const withSession =
  (verb: string, body: PmVerb): PmVerb =>
  async (io, args) => {
    try {
      return await judged(io, verb, () => body(io, args))
    } catch (error) {
      if (error instanceof NoSession) return thrown(io, verb, `java.lang.SecurityException: ${error.message}`)
      throw error
    }
  }

class Unreadable extends Error {}

/** Opens a file with the rights of the system server, which cannot read shared storage. */
async function openApk(io: CommandIo, name: string): Promise<ByteSource & { close(): Promise<void> }> {
  const path = io.path(name)
  try {
    if (io.fs.realpath(path).startsWith('/storage/')) throw new FsError('EACCES', path)
    return await io.fs.openRead(path)
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    await io.err(`Error: Unable to open file: ${name}\nConsider using a file under /data/local/tmp/\n`)
    throw new Unreadable(`Error: Can't open file: ${name}`)
  }
}

async function writeFrom(
  io: CommandIo,
  session: Session,
  name: string,
  from: { path: string | undefined; sizeBytes: number | null },
): Promise<number> {
  const sessions = io.android.installSessions
  if (from.path === undefined || from.path === '-') {
    if (from.sizeBytes === null) throw new Unreadable('Error: must specify a APK size')
    return sessions.write(session, name, io.stdin, from.sizeBytes)
  }
  const file = await openApk(io, from.path)
  try {
    return await sessions.write(session, name, file, from.sizeBytes)
  } finally {
    await file.close()
  }
}

const install: PmVerb = (io, args) =>
  judged(io, 'install', async () => {
    const { options, rest } = parseInstallOptions(args)
    const sessions = io.android.installSessions
    const fromInput = rest.length === 0 || rest[0] === '-'
    if (fromInput && options.sizeBytes === null) {
      await io.err('Error: must either specify a package size or an APK file\n')
      return 1
    }
    const session = sessions.create(options)
    try {
      const paths = fromInput ? [undefined] : rest
      for (const [index, path] of paths.entries()) {
        const sizeBytes = path === undefined ? options.sizeBytes : null
        await writeFrom(io, session, index === 0 ? 'base.apk' : `${index}.apk`, { path, sizeBytes })
      }
      await sessions.commit(session)
    } catch (error) {
      await sessions.abandon(session)
      if (error instanceof Unreadable)
        return thrown(io, 'install', `java.lang.IllegalArgumentException: ${error.message}`)
      throw error
    }
    await io.out('Success\n')
    return 0
  })

const create: PmVerb = (io, args) =>
  judged(io, 'install-create', async () => {
    const session = io.android.installSessions.create(parseInstallOptions(args).options)
    await io.out(`Success: created install session [${session.id}]\n`)
    return 0
  })

const write = withSession('install-write', async (io, args) => {
  const { options, rest } = parseInstallOptions(args)
  const [id, name = '', path] = rest
  const session = sessionOf(io, id)
  if (!/^[\w.-]{1,200}$/.test(name) || name.startsWith('.'))
    return thrown(io, 'install-write', `java.lang.IllegalArgumentException: Invalid name: ${name}`)
  try {
    const written = await writeFrom(io, session, name, { path, sizeBytes: options.sizeBytes })
    await io.out(`Success: streamed ${written} bytes\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    await io.err(`${error.message}\n`)
    return 1
  }
})

const commit = withSession('install-commit', async (io, args) => {
  await io.android.installSessions.commit(
    sessionOf(
      io,
      args.find((arg) => !arg.startsWith('-')),
    ),
  )
  await io.out('Success\n')
  return 0
})

const abandon = withSession('install-abandon', async (io, args) => {
  await io.android.installSessions.abandon(sessionOf(io, args[0]))
  await io.out('Success\n')
  return 0
})

const remove = withSession('install-remove', async (io, args) => {
  const session = sessionOf(io, args[0])
  const file = `${session.folder}/${args[1] ?? ''}`
  const known = !(args[1] ?? '/').includes('/') && io.fs.as(root).tryLstat(file) !== null
  if (!known) {
    await io.err('Error: no split specified\n')
    return 1
  }
  await io.fs.as(root).unlink(file)
  await io.out('Success\n')
  return 0
})

/** Runs `pm uninstall [-k] [--user N] [--versionCode N] PACKAGE`. */
const uninstallVerb: PmVerb = async (io, args) => {
  let user: string | null = null
  let version: number | null = null
  let keep = false
  let at = 0
  for (; (args[at] ?? '').startsWith('-'); at++) {
    const arg = args[at]
    if (arg === '-k') keep = true
    else if (arg === '--user') user = args[++at] ?? ''
    else if (arg === '--versionCode') version = Number(args[++at])
    else {
      await io.err(`Error: Unknown option: ${arg ?? ''}\n`)
      return 1
    }
  }
  const [name, ...splits] = args.slice(at)
  if (name === undefined) {
    await io.err('Error: package name not specified\n')
    return 1
  }
  const app = io.android.installed.find(decode(name))
  const fail = async (why: string) => {
    await io.out(`Failure [${why}]\n`)
    return 1
  }
  if (app === null)
    return fail(
      user === null || user === 'all' ? 'DELETE_FAILED_INTERNAL_ERROR' : `not installed for ${user}`,
    )
  if (version !== null && version !== app.apk.versionCode) return fail('DELETE_FAILED_INTERNAL_ERROR')
  if (splits.length > 0)
    return fail('DELETE_FAILED_INTERNAL_ERROR: this phone is virtual and removes whole packages only')
  await uninstall(io.android, io.fs.as(root), app, keep)
  await io.out('Success\n')
  return 0
}

/** Ends the app, deletes its data and revokes its permissions. */
const clear: PmVerb = async (io, args) => {
  const name = decode(args[0] ?? '')
  const { android } = io
  const known = android.world.builtInApps().some((app) => app.package === name)
  const app = android.installed.find(name)
  if (!known && app === null) {
    await io.out('Failed\n')
    return 1
  }
  android.world.clearData(name)
  if (app !== null) {
    const fs = io.fs.as(root)
    if (fs.tryLstat(`/data/data/${name}`) !== null) await fs.removeTree(`/data/data/${name}`)
    makeDataFolder(fs, name, app.uid)
    android.installed.put({ ...app, granted: [] })
  }
  await io.out('Success\n')
  return 0
}

export const installVerbs: Readonly<Record<string, PmVerb>> = {
  install,
  'install-create': create,
  'install-write': write,
  'install-commit': commit,
  'install-abandon': abandon,
  'install-destroy': abandon,
  'install-remove': remove,
  uninstall: uninstallVerb,
  clear,
}
