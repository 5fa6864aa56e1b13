/** The address of a system's embedded Postgres, from the files that the launcher keeps for its owner. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { System } from './system.js'

const portsSchema = z.object({ postgres: z.int() })

export async function databaseUrl(system: System): Promise<string> {
  const read = (name: string) => readFile(path.join(system.dir, name), 'utf8')
  const { postgres } = portsSchema.parse(JSON.parse(await read('ports.json')))
  const password = (await read('postgres/password')).trim()
  return `postgresql://phonerack:${password}@127.0.0.1:${postgres}/phonerack`
}
