// The OpenAPI document, as another validator and another process see it.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from './openapi.js'
import { startApi, type TestApi } from '../testing/api.js'

let api: TestApi
let document: { paths: Record<string, Record<string, { responses: Record<string, object> }>> }
beforeAll(async () => {
  api = await startApi()
  document = (await api.request('GET', '/openapi.json', { key: null })).json()
})
afterAll(() => api.close())

/**
 * The findings of the second validator, which has its own knowledge of OpenAPI, where the first
 * uses its JSON Schema.
 */
async function problemsOf(description: object): Promise<string[]> {
  const config = await createConfig({ extends: ['spec'], rules: { 'security-defined': 'error' } })
  const problems = await lintFromString({ source: JSON.stringify(description), config })
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`)
}

describe('/openapi.json', () => {
  it('is valid for a second validator, including examples', async () => {
    expect(await problemsOf(document)).toEqual([])
    const broken = structuredClone(document)
    Object.assign(broken.paths['/v1/account']?.['get']?.responses['200'] ?? {}, { describtion: 'Misspelt.' })
    expect((await problemsOf(broken)).join()).toContain('struct #/paths/~1v1~1account/get/responses/200')
  })

  it('is the same without a running service', async () => {
    expect(await openApiDocument('http://api.test')).toEqual(document)
  })
})
