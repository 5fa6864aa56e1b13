#!/usr/bin/env node
// Replaces Prisma's native schema-engine binary. It uses the same line-based JSON-RPC on stdin and stdout, and answers
// with the WASM build of the same engine from the npm registry.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import readline from 'node:readline'
import * as bg from '@prisma/schema-engine-wasm/schema_engine_bg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'

const require = createRequire(import.meta.url)
const wasmPkg = path.dirname(require.resolve('@prisma/schema-engine-wasm'))
const argv = process.argv.slice(2)
const options = (name) => argv.flatMap((a, i) => (a === name ? [argv[i + 1]] : []))
if (argv[0] === '--version') {
  console.log(
    'schema-engine-wasm',
    bg.version?.name ? JSON.parse(readFileSync(path.join(wasmPkg, 'package.json'), 'utf8')).version : '',
  )
  process.exit(0)
}
const url = JSON.parse(options('--datasource')[0] ?? '{}').url ?? process.env.DATABASE_URL
const log = (level, fields) =>
  process.stderr.write(
    JSON.stringify({ timestamp: new Date().toISOString(), level, fields, target: 'schema_engine::logger' }) +
      '\n',
  )

const sub = argv[argv.indexOf('cli') + 1]
if (argv.includes('cli')) {
  const u = new URL(url),
    name = decodeURIComponent(u.pathname.slice(1))
  if (sub !== 'can-connect-to-database') u.pathname = '/postgres'
  const c = new pg.Client({ connectionString: u.href })
  log('INFO', { message: 'Starting schema engine CLI' })
  try {
    await c.connect()
    if (sub === 'create-database') await c.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
    if (sub === 'drop-database') {
      await c.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`)
      log('INFO', { message: 'The database was successfully dropped' })
    }
    await c.end()
    process.exit(0)
  } catch (e) {
    log('ERROR', {
      message: e.message,
      error_code: e.code === '3D000' ? 'P1003' : e.code === '28P01' ? 'P1000' : 'P1001',
      is_panic: false,
    })
    process.exit(1)
  }
}

let panicMessage
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: (m) => {
    panicMessage = m
    if (process.env.SHIM_DEBUG) process.stderr.write('PANIC ' + m + '\n')
  },
}
// @prisma/adapter-pg has no mapping for the internal type "char" (oid 18), which the
// engine's catalog queries return: pass it through as text, labelled Character.
class Factory extends PrismaPg {
  async connect() {
    return characters(await super.connect())
  }
  async connectToShadowDb() {
    const main = await this.connect()
    const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`
    await main.executeScript(`CREATE DATABASE "${name}"`)
    const at = new URL(url)
    at.pathname = '/' + name
    const shadow = await new Factory({ connectionString: at.href, max: 1 }).connect()
    const dispose = shadow.dispose.bind(shadow)
    shadow.dispose = async () => {
      await dispose()
      await main.executeScript(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
      await main.dispose()
    }
    return shadow
  }
}
function characters(adapter) {
  const io = adapter.performIO.bind(adapter),
    raw = adapter.queryRaw.bind(adapter)
  let chars = []
  adapter.performIO = async (q) => {
    const r = await io(q)
    chars = r.fields.flatMap((f, i) => (f.dataTypeID === 18 ? [i] : []))
    return { ...r, fields: r.fields.map((f) => (f.dataTypeID === 18 ? { ...f, dataTypeID: 25 } : f)) }
  }
  // adapter-pg splits scripts at every ";" (breaks function bodies); the native engine sends them whole.
  adapter.executeScript = async (script) => {
    try {
      await adapter.client.query(script)
    } catch (e) {
      adapter.onError(e)
    }
  }
  let turn = Promise.resolve()
  adapter.queryRaw = (q) =>
    (turn = turn
      .catch(() => {})
      .then(async () => {
        const r = await raw(q)
        for (const i of chars) r.columnTypes[i] = ColumnTypeEnum.Character
        return r
      }))
  return adapter
}
const { instance } = await WebAssembly.instantiate(
  readFileSync(path.join(wasmPkg, 'schema_engine_bg.wasm')),
  { './schema_engine_bg.js': bg },
)
bg.__wbg_set_wasm(instance.exports)
instance.exports.__wbindgen_start()
const datamodels = options('--datamodels').map((p) => [p, readFileSync(p, 'utf8')])
let engine
const files = (p) =>
  [p?.schema, p?.from, p?.to].flatMap((s) => s?.files ?? []).map((f) => [f.path, f.content])
const getEngine = (params) =>
  (engine ??= bg.SchemaEngine.new(
    { datamodels: datamodels.length ? datamodels : files(params).length ? files(params) : undefined },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new Factory({ connectionString: url, max: 1 })),
  ))
const write = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n')
for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (!line.trim()) continue
  const { id, method, params } = JSON.parse(line)
  if (!method) continue // answer to our own "print"
  try {
    const result = await (
      await getEngine(params)
    )[method === 'getDatabaseVersion' ? 'version' : method](params)
    if (method === 'diff' && result?.stdout != null)
      write({ id: `print-${id}`, method: 'print', params: { content: result.stdout.replace(/\n$/, '') } })
    write({ id, result: result ?? null })
  } catch (e) {
    engine = undefined
    const message =
      e instanceof WebAssembly.RuntimeError ? (panicMessage ?? e.message) : (e.message ?? String(e))
    write({
      id,
      error: {
        code: 4466,
        message: 'An error happened. Check the data field for details.',
        data: {
          is_panic: e instanceof WebAssembly.RuntimeError,
          message,
          error_code: e.code ?? null,
          meta: e.meta ?? null,
        },
      },
    })
  }
}
process.exit(0)
