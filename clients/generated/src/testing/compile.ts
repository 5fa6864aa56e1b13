/** For tests: the types of an OpenAPI document by a real generator, and a client of them through a real compiler. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const { resolve } = createRequire(import.meta.url)
const generator = path.join(path.dirname(resolve('openapi-typescript')), '../bin/cli.js')
const compiler = resolve('typescript/bin/tsc')
const fixture = fileURLToPath(new URL('../../fixture/client.ts', import.meta.url))

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['ES2023'] },
  ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', exactOptionalPropertyTypes: true },
}

export interface Compiled {
  /** Null on success. */
  errors: string | null
  /** The generated types; empty when the generator failed. */
  types: string
}

/** Generates a document's types and compiles the client with them. */
export async function compile(openApi: string): Promise<Compiled> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-client-'))
  try {
    await writeFile(path.join(dir, 'openapi.json'), openApi)
    await writeFile(path.join(dir, 'package.json'), '{"type":"module"}')
    await writeFile(
      path.join(dir, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['client.ts', 'schema.ts'] }),
    )
    await copyFile(fixture, path.join(dir, 'client.ts'))
    const failed = await run(dir, generator, ['openapi.json', '-o', 'schema.ts'])
    if (failed !== null) return { errors: failed, types: '' }
    const types = await readFile(path.join(dir, 'schema.ts'), 'utf8')
    return { errors: await run(dir, compiler, ['-p', '.', '--pretty', 'false']), types }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Runs a command with Node. @returns null on success, else its output. */
const run = (cwd: string, script: string, args: string[]): Promise<string | null> =>
  new Promise((done) => {
    execFile(process.execPath, [script, ...args], { cwd, timeout: 50_000 }, (error, out, err) =>
      done(error ? `${error.message}\n${out}\n${err}` : null),
    )
  })
