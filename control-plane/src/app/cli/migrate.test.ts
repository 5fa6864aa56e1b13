import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { runCommand } from './commands.js'

async function run(words: readonly string[], env: Record<string, string>) {
  let [out, err] = ['', '']
  const code = await runCommand(
    ['migrate', ...words],
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    env,
  )
  return { code, out, err }
}

async function emptyDatabase(url: string): Promise<string> {
  const name = `migrate_${process.pid}`
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

it('migrates an empty database, and finds nothing to do the second time', async () => {
  const env = { DATABASE_URL: await emptyDatabase(inject('testServers').postgresUrl) }
  const first = await run([], env)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(/^Applied 20261120000000_tables\n(?:Applied \d{14}_\w+\n)+$/)
  expect(await run([], env)).toEqual({
    code: 0,
    err: '',
    out: 'The database has all migrations of this release.\n',
  })
})

it('names what is missing on its command line', async () => {
  expect(await run([], {})).toMatchObject({
    code: 2,
    err: expect.stringContaining('DATABASE_URL must be set') as string,
  })
  expect(await run(['now'], { DATABASE_URL: 'postgresql://x' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('migrate takes no arguments, but got now') as string,
  })
})
