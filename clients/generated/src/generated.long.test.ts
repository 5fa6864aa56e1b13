/** The compilation of a client notices a broken OpenAPI document. */
import { openApiDocument } from '@phonerack/control-plane/openapi'
import { beforeAll, expect, it } from 'vitest'
import { compile } from './testing/compile.js'

let document: string
beforeAll(async () => {
  document = JSON.stringify(await openApiDocument('http://api.test'))
})

interface Schema {
  properties?: Record<string, Record<string, unknown>>
  required?: string[]
  oneOf?: { $ref: string }[]
  anyOf?: { $ref: string }[]
}
type Schemas = Record<string, Schema | undefined>

/** The document with a change to its schemas. */
function broken(change: (schemas: Schemas) => void): string {
  const copy = JSON.parse(document) as { components: { schemas: Schemas } }
  change(copy.components.schemas)
  return JSON.stringify(copy)
}

it('fails to compile when a field with a default becomes required', async () => {
  const changed = broken(({ StartPhoneBody }) => {
    Object.assign(StartPhoneBody?.properties?.['wait'] ?? {}, { default: true })
  })
  expect(changed).not.toBe(document)
  expect((await compile(changed)).errors).toMatch(/client\.ts.*TS2741.*'wait'/)
})

it('fails to compile when an action is missing from the union', async () => {
  const changed = broken(({ Action }) => {
    const forms = Action?.oneOf ?? Action?.anyOf ?? []
    forms.splice(
      forms.findIndex(({ $ref }) => $ref.endsWith('/WaitIdleAction')),
      1,
    )
  })
  expect((await compile(changed)).errors).toMatch(/client\.ts.*error TS/)
})

it('fails to compile when a reference has no target', async () => {
  const changed = broken((schemas) => delete schemas['TapAction'])
  expect((await compile(changed)).errors).not.toBeNull()
})
