/** Finds the folder of a user's settings on each platform. */
import path from 'node:path'
import type { Io } from '../io.js'

/** The file with contexts and keys. */
export function configFile({ env, platform, home }: Pick<Io, 'env' | 'platform' | 'home'>): string {
  return (platform === 'win32' ? path.win32 : path.posix).join(
    folderOf(env, platform, home),
    'phonerack',
    'config.json',
  )
}

function folderOf(env: Io['env'], platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32') return env['APPDATA'] ?? path.win32.join(home, 'AppData', 'Roaming')
  const given = env['XDG_CONFIG_HOME']
  // The XDG specification requires programs to ignore relative paths.
  if (given !== undefined && path.posix.isAbsolute(given)) return given
  return platform === 'darwin'
    ? path.posix.join(home, 'Library', 'Application Support')
    : path.posix.join(home, '.config')
}
