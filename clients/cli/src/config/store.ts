/** The settings file. It contains keys, so only its owner may read it. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from '../usage-error.js'
import { emptyConfig, parseConfig, type Config } from './config.js'

export async function readConfig(file: string): Promise<Config> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyConfig()
    throw error
  }
  return parseConfig(text, file)
}

/** Replaces the file atomically, so that no reader finds a part of it, even after a crash. */
export async function writeConfig(file: string, config: Config): Promise<void> {
  const temporary = await temporaryFor(file)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(config, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Call it before work whose result would otherwise be lost. @throws UsageError if the file cannot be replaced */
export async function requireWritable(file: string): Promise<void> {
  try {
    const temporary = await temporaryFor(file)
    await (await open(temporary, 'wx', 0o600)).close()
    await rm(temporary)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `The settings file ${file} cannot be written: ${code ?? String(error)}.`,
      'Make its folder writable. On Linux, XDG_CONFIG_HOME can name another folder.',
    )
  }
}

/** Creates the folder of the file, and returns a temporary name in it. */
async function temporaryFor(file: string): Promise<string> {
  const folder = path.dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, `.config-${randomUUID()}.json`)
}

/** Removes the access of other users. True: other users could read the file before. */
export async function tighten(file: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false
  const { mode } = await stat(file).catch(() => ({ mode: 0 }))
  if ((mode & 0o077) === 0) return false
  // `chmod` fails on a read-only mount, where commands that only read the settings still work.
  return chmod(file, 0o600).then(
    () => true,
    () => false,
  )
}
