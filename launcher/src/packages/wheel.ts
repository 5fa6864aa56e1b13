/** Builds the wheel of the Python SDK with the SDK's own script. Python and its build tools are optional. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildTime } from './build-time.js'

const run = promisify(execFile)

/** Milliseconds for a check of Python, and for a build. */
const limits = { lookMs: 30_000, buildMs: 180_000 }
/** The module of each tool, and its Debian package. */
const tools = { build: 'python3-build', setuptools: 'python3-setuptools', wheel: 'python3-wheel' }

type Wheel = { file: string } | { missing: readonly string[] }

/**
 * Returns the path of the wheel, or the Debian packages that are missing for the build.
 * @throws Error when the build fails
 */
export async function buildWheel(
  { root, out }: { root: string; out: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<Wheel> {
  const python = env['PYTHON'] ?? '/usr/bin/python3'
  const missing = await missingTools(python)
  if (missing.length > 0) return { missing }
  const work = mkdtempSync(path.join(tmpdir(), 'phonerack-wheel-'))
  const umask = process.umask(0o022)
  try {
    const script = path.join(root, 'clients', 'python', 'scripts', 'build.sh')
    // The time of all files in the archive.
    const SOURCE_DATE_EPOCH = String(buildTime(root, env))
    await run('bash', [script, work], {
      env: { ...env, PYTHON: python, SOURCE_DATE_EPOCH },
      timeout: limits.buildMs,
      maxBuffer: 16 << 20,
    })
    const [name, ...others] = readdirSync(work)
    if (name === undefined || others.length > 0) throw new Error(`${script} must write one file`)
    mkdirSync(out, { recursive: true })
    copyFileSync(path.join(work, name), path.join(out, name))
    return { file: path.join(out, name) }
  } finally {
    process.umask(umask)
    rmSync(work, { recursive: true, force: true })
  }
}

async function missingTools(python: string): Promise<string[]> {
  const lacks = async (code: string): Promise<boolean> =>
    run(python, ['-c', code], { timeout: limits.lookMs }).then(
      () => false,
      () => true,
    )
  if (await lacks('')) return ['python3', ...Object.values(tools)]
  const missing: string[] = []
  for (const [module, name] of Object.entries(tools)) if (await lacks(`import ${module}`)) missing.push(name)
  return missing
}
