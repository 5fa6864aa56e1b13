/** The OpenAPI document through a real generator and a real compiler: a client written against the types must compile. */
import { openApiDocument } from '@phonerack/control-plane/openapi'
import { expect, it } from 'vitest'
import { compile } from './testing/compile.js'

it('compiles a client that leaves out fields with defaults and uses every action by its name', async () => {
  const { errors, types } = await compile(JSON.stringify(await openApiDocument('http://api.test')))
  expect(errors).toBeNull()
  expect(types).toContain('TapAction: {')
})
