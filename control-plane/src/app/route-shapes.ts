/** The shapes of the routes of `/operator/v1` and `/console/api`, without a running service, for the types of `ctl` and the console. */
import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { operatorPlugin } from '../api/routes/operator/plugin.js'
import { consoleOperatorPlugin } from '../api/routes/operator/console.js'
import { libraryPlugin } from '../api/routes/operator/library.js'
import { paymentsOperatorPlugin } from '../api/routes/operator/payments.js'
import { setupOperatorPlugin } from '../api/routes/operator/setup.js'
import { operatorBase } from '../api/routes/operator/api.js'
import { apiPath } from '../api/routes/console/gate.js'
import { consolePlugin } from '../api/routes/console/plugin.js'
import { type Shape } from '../api/routes/shape.js'

/** Replaces every service, since no request is served. */
const unused: never = new Proxy(() => undefined, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 'http://unused.invalid' : unused),
  apply: () => unused,
}) as never

/** Values that may be added later are a closed list here: the service and these clients have the same release. */
const jsonOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // An empty registry has no IDs of schemas, so each schema is written where it is used.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      const values = z.globalRegistry.get(zodSchema)?.['x-extensible-enum']
      if (Array.isArray(values)) jsonSchema.enum = values as string[]
    },
  })

function objectOf(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

const shapeJson = ({ query = [], body, answer }: Shape): object =>
  objectOf({
    ...(query.length === 0 ? {} : { query: { enum: query } }),
    ...(body === undefined ? {} : { body: jsonOf(body, 'input') }),
    ...(answer === undefined ? {} : { answer: jsonOf(answer, 'output') }),
  })

/** @returns by method and path below `base` */
async function shapesOf(base: string, add: (app: FastifyInstance) => Promise<void>): Promise<object> {
  const app = Fastify({ exposeHeadRoutes: false })
  const shapes: Record<string, object> = {}
  app.addHook('onRoute', ({ method, url, config }) => {
    if (url.startsWith(`${base}/`) && !url.includes('*'))
      shapes[`${String(method)} ${url.slice(base.length)}`] = shapeJson(config?.shape ?? {})
  })
  await add(app)
  await app.ready()
  await app.close()
  return objectOf(shapes)
}

/** Each is a JSON schema of one object, with a property for each route. */
export async function routeShapes(): Promise<{ operator: object; console: object }> {
  const operator = await shapesOf(operatorBase, async (app) => {
    await app.register(operatorPlugin(unused, unused))
    await app.register(libraryPlugin(unused, unused))
    await app.register(paymentsOperatorPlugin(unused))
    await app.register(setupOperatorPlugin(unused, ''))
    await app.register(consoleOperatorPlugin(unused, unused))
  })
  const console = await shapesOf(apiPath, async (app) => {
    await app.register(consolePlugin(unused))
  })
  return { operator, console }
}
