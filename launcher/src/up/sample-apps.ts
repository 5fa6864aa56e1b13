/** Puts small apps into the app library of a new data directory, for a first trial of an install. */
import { execFile } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { OperatorError, type OperatorClient } from '@phonerack/ctl/operator'
import type { Context } from './context.js'

/** Milliseconds. */
const buildWithinMs = 60_000

/**
 * Adds the apps once for a data directory, so that an operator can replace or remove them. Their APKs stay in
 * the folder `sample-apps`, for trials of uploads. A package that the library already contains is not
 * changed.
 */
export async function addSampleApps(
  { root, folder, steps, signal }: Context,
  operator: OperatorClient,
): Promise<void> {
  const done = path.join(folder.dir, 'sample-apps')
  if (await exists(done)) return
  await steps.run('Sample apps', async (remark) => {
    const dir = `${done}.part`
    const program = path.join(root, 'virtual-phone', 'dist', 'apk-builder', 'sample-apps.js')
    await promisify(execFile)(process.execPath, [program, dir], { timeout: buildWithinMs, signal })
    try {
      await addAll(dir, operator)
      await rename(dir, done)
    } catch (error) {
      // The storage can be full or switched off. The next start retries.
      if (!(error instanceof OperatorError)) throw error
      remark(`not added to the app library: ${error.message}`)
    }
  })
}

async function addAll(dir: string, operator: OperatorClient): Promise<void> {
  const known = new Set((await operator.library()).map((app) => app.package))
  for (const name of (await readdir(dir)).sort()) {
    if (known.has(path.basename(name, '.apk'))) continue
    const apk = await openAsBlob(path.join(dir, name))
    const { file } = await operator.sendLibraryFile(apk.stream())
    await operator.addLibraryApp([file])
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
