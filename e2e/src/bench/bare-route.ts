/**
 * The baseline for `GET /v1/phones/{id}`: one Fastify route with the same schema library and the same answer,
 * without a backend. A separate process; prints its port.
 */
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { phoneSchema, type Phone } from '../system/api.js'

const phone = phoneSchema.parse(JSON.parse(process.argv[2] ?? 'null')) satisfies Phone
const server = Fastify().withTypeProvider<ZodTypeProvider>()
server.setValidatorCompiler(validatorCompiler)
server.setSerializerCompiler(serializerCompiler)
server.get(
  '/v1/phones/:id',
  { schema: { params: z.object({ id: z.string() }), response: { 200: phoneSchema } } },
  () => phone,
)
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
process.stdout.write(`${address && typeof address === 'object' ? address.port : 0}\n`)
process.once('SIGTERM', () => void server.close())
