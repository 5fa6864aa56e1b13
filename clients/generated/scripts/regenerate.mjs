// Generates the types of the routes of `/operator/v1` and of `/console/api` from the schemas of the control plane's routes.
// Usage: node scripts/regenerate.mjs OPERATOR.ts CONSOLE.ts
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { routeShapes } from '@phonerack/control-plane/route-shapes'
import openapiTS, { astToString } from 'openapi-typescript'

const header = `/** Written by \`npm run regenerate -w @phonerack/generated-client\` from the schemas of the routes. */
`

const helpers = `
export type Routes = components['schemas']['Routes']
/** A method and a path, such as \`GET /devices/:ref\`. */
export type Route = keyof Routes

type InPath<P extends string> = P extends \`\${string}/:\${infer Rest}\`
  ? Rest extends \`\${infer Name}/\${infer Tail}\`
    ? Record<Name, string> & InPath<\`/\${Tail}\`>
    : Record<Rest, string>
  : unknown
type InQuery<R extends Route> = Routes[R] extends { query: infer Name extends string }
  ? Partial<Record<Name, string | number | boolean | null | undefined>>
  : unknown
/** The values for the path and the query. Null and undefined leave a parameter of the query out. */
export type Fields<R extends Route> = InPath<R> & InQuery<R>
export type Body<R extends Route> = Routes[R] extends { body: infer B } ? B : never
/** Empty for a route without a body; optional for a body without required fields. */
export type BodyOf<R extends Route> = Routes[R] extends { body: infer B } ? (object extends B ? [body?: B] : [body: B]) : []
export type Answer<R extends Route> = Routes[R] extends { answer: infer A } ? A : unknown

/** The path and the query of a request. */
export function addressOf<R extends Route>(route: R, fields: Fields<R>): string {
  const rest = new Map(Object.entries(fields as Record<string, unknown>).filter(([, value]) => value != null))
  const path = route.slice(route.indexOf(' ') + 1).replace(/:(\\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams(Object.fromEntries([...rest].map(([name, value]) => [name, String(value)]))).toString()
  return query === '' ? path : \`\${path}?\${query}\`
}
`

async function typesOf(routes) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Routes', version: '1' },
    paths: {},
    components: { schemas: { Routes: routes } },
  }
  return `${header}${astToString(await openapiTS(document, { silent: true, defaultNonNullable: false }))}${helpers}`
}

const [operatorFile, consoleFile] = process.argv.slice(2)
if (consoleFile === undefined) {
  process.stderr.write('Usage: node scripts/regenerate.mjs OPERATOR.ts CONSOLE.ts\n')
  process.exit(2)
}
const { operator, console } = await routeShapes()
await writeFile(operatorFile, await typesOf(operator))
await writeFile(consoleFile, await typesOf(console))
