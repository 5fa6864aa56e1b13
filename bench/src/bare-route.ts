/**
 * The baselines for `GET /v1/phones/{id}`: two Fastify routes with the same schema library and the same
 * answer. `/v1` has no backend, and `/row` runs one prepared SELECT of the same row from DATABASE_URL. Runs
 * in a separate process, which prints its port.
 */
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import pg from 'pg'
import { z } from 'zod'
import { phoneSchema, type Phone } from '@phonerack/e2e/system/api.js'

const phone = phoneSchema.parse(JSON.parse(process.argv[2] ?? 'null')) satisfies Phone
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 })
const server = Fastify().withTypeProvider<ZodTypeProvider>()
server.setValidatorCompiler(validatorCompiler)
server.setSerializerCompiler(serializerCompiler)
const schema = { params: z.object({ id: z.string() }), response: { 200: phoneSchema } }
server.get('/v1/phones/:id', { schema }, () => phone)

/** The columns of a phone and its open session. */
const text = `select p.id, p.project_id, p.name, p.status, p.country, p.on_idle, p.metadata, p.created_at, p.last_active_at,
  p.failure_code, p.failure_message, p.failure_at, s.id as session_id, s.started_at, s.ready_at, s.idle_timeout,
  s.max_duration, s.reserved_micros
  from phones p left join sessions s on s.phone_id = p.id and s.ended_at is null where p.id = $1`
interface Row {
  id: string
  name: string
  metadata: Record<string, string>
  created_at: Date
}
server.get('/row/:id', { schema }, async ({ params }) => {
  const { rows } = await pool.query<Row>({ name: 'phone', text, values: [params.id] })
  const [row] = rows
  if (!row) throw new Error('no such phone')
  const { id, name, metadata, created_at: at } = row
  return { ...phone, id, name, metadata, created_at: at.toISOString() }
})
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
process.stdout.write(`${address && typeof address === 'object' ? address.port : 0}\n`)
process.once('SIGTERM', () => {
  void server.close().then(() => pool.end())
})
