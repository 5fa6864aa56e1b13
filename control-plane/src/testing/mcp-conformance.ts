/** Runs `@modelcontextprotocol/conformance` against a server. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'

const checkSchema = z.object({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
})
export type Check = z.infer<typeof checkSchema>

/** Milliseconds for all scenarios of a revision. */
const limitMs = 300_000

/**
 * The suite imports `globSync`, which Node.js 20 lacks and no scenario of a server calls. A loader gives it `node:fs` with a
 * `globSync` that throws.
 */
const loader = asModule(`
  import { register } from 'node:module'
  register(${JSON.stringify(
    asModule(`
      const files = ${JSON.stringify(
        asModule(`
          export * from 'node:fs'
          export { default } from 'node:fs'
          export const globSync = () => { throw new Error('globSync needs Node.js 22') }
        `),
      )}
      export const resolve = (name, context, next) =>
        name === 'fs' && context.parentURL.includes('/@modelcontextprotocol/conformance/')
          ? { url: files, shortCircuit: true }
          : next(name, context)
    `),
  )})
`)

function asModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

/** The checks of each scenario of a revision. @param url address of the endpoint */
export async function runConformance(url: string, revision: string): Promise<Map<string, Check[]>> {
  const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-conformance-'))
  try {
    await run([
      ...['--import', loader, program, 'server', '--url', url, '--suite', 'all'],
      ...['--spec-version', revision, '--timeout', '60000', '-o', folder],
    ])
    const scenarios = new Map<string, Check[]>()
    for (const entry of await readdir(folder)) {
      const name = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1]
      if (name === undefined) throw new Error(`${entry} is not the folder of a scenario`)
      const text = await readFile(path.join(folder, entry, 'checks.json'), 'utf8')
      scenarios.set(name, z.array(checkSchema).parse(JSON.parse(text)))
    }
    return scenarios
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A failed check makes the exit code 1. */
function run(args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: limitMs, maxBuffer: 10_000_000 }, (error, out, errors) => {
      if (error === null || error.code === 1) resolve()
      else reject(new Error(`${error.message}\n${out}\n${errors}`))
    })
  })
}
