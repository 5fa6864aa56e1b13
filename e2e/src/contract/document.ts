/** Reads the service's OpenAPI description, and decides whether an answer conforms to it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Answer } from '../system/api.js'

/** JSON Schema as far as the description uses it. */
export interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  maxProperties?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  style?: string
  schema: Schema
}

interface Response {
  description: string
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  method: string
  /** The path, with its parameters in braces. */
  path: string
  parameters: Parameter[]
  body: { required: boolean; mediaType: string; schema: Schema } | null
  responses: Record<string, Response>
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[]
        requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
        responses: Record<string, Response>
      }
    >
  >
  components: { schemas: Record<string, Schema> }
}

const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export class Contract {
  readonly operations: Operation[]
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(readonly document: Document) {
    formats.default(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: 'openapi' })
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => {
        const [content] = Object.entries(requestBody?.content ?? {})
        return {
          method: method.toUpperCase(),
          path,
          parameters,
          body: content
            ? { required: requestBody?.required ?? false, mediaType: content[0], schema: content[1].schema }
            : null,
          responses,
        }
      }),
    )
  }

  static async of(baseUrl: string): Promise<Contract> {
    const answer = await fetch(`${baseUrl}/openapi.json`, { signal: AbortSignal.timeout(10_000) })
    return new Contract((await answer.json()) as Document)
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.replace('#/components/schemas/', '')
    if (name === undefined) return schema
    const found = this.document.components.schemas[name]
    if (!found) throw new Error(`${name} is not described`)
    return found
  }

  /** Why the answer breaks the description; null when it conforms. */
  breach(operation: Operation, answer: Answer): string | null {
    if (answer.status === 500) return 'an internal error'
    const status = String(answer.status)
    const response = operation.responses[status]
    if (!response) return `${status} is not described`
    const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
    if (!response.content) return answer.bytes.length === 0 ? null : `${status} has a body`
    if (!(mediaType in response.content)) return `${status} as ${mediaType || 'nothing'} is not described`
    if (mediaType !== 'application/json') return null
    const where = pointer('paths', operation.path, operation.method.toLowerCase(), 'responses', status)
    const schema = `openapi#${where}${pointer('content', mediaType, 'schema')}`
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ $ref: schema })
    this.#validators.set(schema, validate)
    if (!validate(answer.body)) return this.#ajv.errorsText(validate.errors)
    if (answer.status < 400) return null
    const { code } = (answer.body as { error: { code: string } }).error
    return response.description.includes(`\`${code}\``) ? null : `${status} ${code} is not described`
  }
}
