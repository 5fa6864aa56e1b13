// After the rotation, a new replica refuses cursors of the earlier secret, and a running replica continues.
import { expect, it } from 'vitest'
import { type Plane, useWorld } from '../../testing/world.js'
import { uploadClient } from '../../testing/uploads.js'
import { runCommand } from './commands.js'

const world = useWorld()

async function rotate(env: Record<string, string>, ...words: string[]) {
  let text = ''
  const write = { write: (more: string) => (text += more) }
  return { code: await runCommand(['rotate-cursor-secret', ...words], write, write, env), text }
}

it('replaces the secret that signs cursors', async () => {
  const plane = await world.start()
  const tenant = await plane.tenant()
  const uploads = await uploadClient(plane, tenant)
  for (let each = 0; each < 2; each += 1) await uploads.create()
  const read = async (on: Plane, query: string) => {
    const headers = { authorization: `Bearer ${tenant.key}` }
    const answer = await on.server.inject({ method: 'GET', url: `/v1/apps/uploads?limit=1${query}`, headers })
    return { status: answer.statusCode, ...answer.json<{ next_cursor?: string | null }>() }
  }
  const { next_cursor: cursor } = await read(plane, '')
  if (!cursor) throw new Error('no cursor')
  const next = `&cursor=${encodeURIComponent(cursor)}`
  const before = await world.start({ beside: plane })
  expect((await read(before, next)).status).toBe(200)

  expect(await rotate({ DATABASE_URL: plane.config.databaseUrl })).toMatchObject({ code: 0 })
  const after = await world.start({ beside: plane })
  expect((await read(plane, next)).status).toBe(200)
  expect(await read(after, next)).toMatchObject({ status: 400, error: { code: 'validation_failed' } })
})

it('needs the address of the database, and takes no options', async () => {
  expect(await rotate({})).toMatchObject({ code: 2 })
  expect(await rotate({ DATABASE_URL: 'postgres://nowhere' }, '--out', 'x')).toMatchObject({ code: 2 })
})
