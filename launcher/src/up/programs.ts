/** Finds the external programs that a host needs, or installs them where this process can. */
import path from 'node:path'
import { existsSync } from 'node:fs'
import { aptInstall, canAptInstall } from '../programs/apt.js'
import { findProgram } from '../programs/path.js'

interface Wanted {
  program: string
  /** Name of the package; the same in apt and Homebrew unless given. */
  apt: string
  brew: string
  /** Further folders to search. */
  also?: readonly string[]
}

const adb: Wanted = { program: 'adb', apt: 'adb', brew: '--cask android-platform-tools' }
const ffmpeg: Wanted = { program: 'ffmpeg', apt: 'ffmpeg', brew: 'ffmpeg' }

/**
 * Path of adb.
 * @throws Error with the command that installs it.
 */
export async function ensureAdb(remark: (text: string) => void): Promise<string> {
  const found = await ensure({ ...adb, also: androidSdkFolders() }, remark)
  if (found) return found
  throw new Error(`adb is missing. ${howTo(adb)}`)
}

/** Path of ffmpeg, or null, since only recordings need it. */
export async function ensureFfmpeg(root: string, remark: (text: string) => void): Promise<string | null> {
  const packaged = path.join(root, 'node_modules', 'ffmpeg-static', 'ffmpeg')
  const given = process.env['FFMPEG_BIN']
  if (given !== undefined && given !== '') return given
  if (existsSync(packaged)) return packaged
  const found = await ensure(ffmpeg, remark)
  if (!found) remark(`missing, but required for recordings. ${howTo(ffmpeg)}`)
  return found
}

async function ensure(wanted: Wanted, remark: (text: string) => void): Promise<string | null> {
  const found = findProgram(wanted.program, wanted.also)
  if (found || !canAptInstall()) return found
  try {
    await aptInstall([wanted.apt])
    remark(`installed ${wanted.apt}`)
  } catch (error) {
    remark(error instanceof Error ? error.message : String(error))
  }
  return findProgram(wanted.program, wanted.also)
}

function androidSdkFolders(): string[] {
  const roots = [process.env['ANDROID_HOME'], process.env['ANDROID_SDK_ROOT']]
  return roots
    .filter((root) => root !== undefined && root !== '')
    .map((root) => path.join(root ?? '', 'platform-tools'))
}

const howTo = (wanted: Wanted): string =>
  process.platform === 'darwin'
    ? `Install it with: brew install ${wanted.brew}`
    : `Install it with: sudo apt-get install ${wanted.apt}`
