/** The OpenAPI document through a real generator and a real compiler: a client written against the types must compile. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@phonerack/control-plane/openapi'
import { afterAll, beforeAll, expect, it } from 'vitest'

const { resolve } = createRequire(import.meta.url)
const generator = path.join(path.dirname(resolve('openapi-typescript')), '../bin/cli.js')
const compiler = resolve('typescript/bin/tsc')
const fixture = fileURLToPath(new URL('../fixture/client.ts', import.meta.url))

let dir: string
let document: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-client-'))
  document = JSON.stringify(await openApiDocument('http://api.test'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Runs a command with Node. @returns null on success, else its output. */
const run = (script: string, args: string[]): Promise<string | null> =>
  new Promise((done) => {
    execFile(process.execPath, [script, ...args], { cwd: dir, timeout: 50_000 }, (error, out, err) =>
      done(error ? `${error.message}\n${out}\n${err}` : null),
    )
  })

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['ES2023'] },
  ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', exactOptionalPropertyTypes: true },
}

/**
 * Generates a document's types and compiles the client with them. @returns null on success, else the errors.
 */
async function compile(openApi: string): Promise<string | null> {
  await writeFile(path.join(dir, 'openapi.json'), openApi)
  await writeFile(path.join(dir, 'package.json'), '{"type":"module"}')
  await writeFile(
    path.join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['client.ts', 'schema.ts'] }),
  )
  await copyFile(fixture, path.join(dir, 'client.ts'))
  await rm(path.join(dir, 'schema.ts'), { force: true })
  const failed = await run(generator, ['openapi.json', '-o', 'schema.ts'])
  return failed ?? run(compiler, ['-p', '.', '--pretty', 'false'])
}

interface Schema {
  properties?: Record<string, Record<string, unknown>>
  required?: string[]
  oneOf?: { $ref: string }[]
  anyOf?: { $ref: string }[]
}
type Schemas = Record<string, Schema | undefined>

/** The document with a change to its schemas. */
function broken(change: (schemas: Schemas) => void): string {
  const copy = JSON.parse(document) as { components: { schemas: Schemas } }
  change(copy.components.schemas)
  return JSON.stringify(copy)
}

it('compiles a client that leaves out fields with defaults and uses every action by its name', async () => {
  expect(await compile(document)).toBeNull()
  expect(await readFile(path.join(dir, 'schema.ts'), 'utf8')).toContain('TapAction: {')
})

it('fails to compile when a field with a default becomes required', async () => {
  const changed = broken(({ StartPhoneBody }) => {
    Object.assign(StartPhoneBody?.properties?.['wait'] ?? {}, { default: true })
  })
  expect(changed).not.toBe(document)
  expect(await compile(changed)).toMatch(/client\.ts.*TS2741.*'wait'/)
})

it('fails to compile when an action is missing from the union', async () => {
  const changed = broken(({ Action }) => {
    const forms = Action?.oneOf ?? Action?.anyOf ?? []
    forms.splice(
      forms.findIndex(({ $ref }) => $ref.endsWith('/WaitIdleAction')),
      1,
    )
  })
  expect(await compile(changed)).toMatch(/client\.ts.*error TS/)
})

it('fails to compile when a reference has no target', async () => {
  const changed = broken((schemas) => delete schemas['TapAction'])
  expect(await compile(changed)).not.toBeNull()
})
