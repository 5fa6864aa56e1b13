/** The program of the API reference, as Scalar's plugin serves it. */
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

/** @throws Error when the plugin serves its program at another path */
export async function apiReferenceProgram(): Promise<string> {
  const app = fastify()
  try {
    await app.register(scalar, { routePrefix: '/reference', configuration: { content: {} } })
    const { statusCode, body } = await app.inject('/reference/js/scalar.js')
    if (statusCode !== 200) throw new Error(`Scalar's program: ${statusCode}`)
    return body
  } finally {
    await app.close()
  }
}
