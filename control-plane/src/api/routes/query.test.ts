/** Query parameters: values below, at and above each bound, duplicates, and unknown parameters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  id = await api.readyPhone()
})
afterAll(() => api.close())

describe('query parameters', () => {
  const phone = '/v1/phones/{id}'
  it.each([
    ['/v1/phones', 'limit=1'],
    ['/v1/phones', 'limit=100'],
    ['/v1/phones', 'status=failed'],
    ['/v1/phones', 'metadata[a]=b'],
    ['/v1/phones', 'metadata%5Ba%5D=%F0%9F%98%80'],
    ['/v1/phones', 'metadata[a]='],
    ['/v1/phones', 'unknown=1&unknown=2&limit=5'],
    [phone, 'wait=ready&timeout=1'],
    [phone, 'wait=ready&timeout=55'],
    [`${phone}/sessions`, 'limit=100'],
    [`${phone}/observe`, 'screenshot=png&max_width=160&format=json'],
    [`${phone}/observe`, 'screenshot=none&max_width=2000&format=text'],
    [`${phone}/observe`, 'screenshot=jpeg&max_width=161'],
    [`${phone}/observe`, 'screenshot=jpeg&max_width=1999'],
    [`${phone}/screenshot`, 'format=png'],
    [`${phone}/screenshot`, 'format=jpeg&quality=30&max_width=160'],
    [`${phone}/screenshot`, 'format=jpeg&quality=95&max_width=2000'],
    [`${phone}/screenshot`, 'format=png&quality=50'],
    [`${phone}/screenshot`, 'format=jpeg&quality=31&max_width=161'],
    [`${phone}/screenshot`, 'format=jpeg&quality=94&max_width=1999'],
  ])('%s?%s is accepted [5.4, 8.1, 20.9, 20.47, 28.9, 29.4]', async (url, query) => {
    expect((await api.request('GET', `${url.replace('{id}', id)}?${query}`)).statusCode).toBe(200)
  })

  it.each([
    ['/v1/phones', 'limit=0', 'limit'],
    ['/v1/phones', 'limit=101', 'limit'],
    ['/v1/phones', 'limit=1.5', 'limit'],
    ['/v1/phones', 'limit=', 'limit'],
    ['/v1/phones', 'limit=+5', 'limit'],
    ['/v1/phones', 'limit=1e1', 'limit'],
    ['/v1/phones', 'limit=0x10', 'limit'],
    ['/v1/phones', 'limit=99999999999999999999', 'limit'],
    ['/v1/phones', 'limit=5&limit=5', 'limit'],
    ['/v1/phones', 'cursor=a&cursor=b', 'cursor'],
    ['/v1/phones', 'cursor=a%00', 'cursor'],
    ['/v1/phones', 'status=running', 'status'],
    ['/v1/phones', 'status=Ready', 'status'],
    ['/v1/phones', 'status=', 'status'],
    ['/v1/phones', 'status=ready&status=parked', 'status'],
    ['/v1/phones', 'metadata[a]=b&metadata[c]=d', 'metadata'],
    ['/v1/phones', 'metadata[a]=b&metadata[a]=b', 'metadata'],
    ['/v1/phones', 'metadata[]=b', 'metadata'],
    ['/v1/phones', 'metadata[-a]=b', 'metadata'],
    ['/v1/phones', 'metadata[a.b]=c', 'metadata'],
    ['/v1/phones', 'metadata[a][b]=c', 'metadata'],
    ['/v1/phones', `metadata[${'k'.repeat(41)}]=c`, 'metadata'],
    ['/v1/phones', 'metadata[a=b', 'metadata'],
    ['/v1/phones', 'metadata=b', 'metadata'],
    ['/v1/phones', 'metadata[__proto__]=b', 'metadata'],
    ['/v1/phones', 'metadata[a]=%00', 'metadata'],
    [phone, 'wait=started', 'wait'],
    [phone, 'wait=ready&wait=ready', 'wait'],
    [phone, 'wait=ready&timeout=0', 'timeout'],
    [phone, 'wait=ready&timeout=56', 'timeout'],
    [phone, 'timeout=5', 'timeout'],
    [`${phone}/sessions`, 'limit=0', 'limit'],
    [`${phone}/sessions`, 'limit=101', 'limit'],
    [`${phone}/sessions`, 'cursor=a&cursor=a', 'cursor'],
    [`${phone}/observe`, 'screenshot=gif', 'screenshot'],
    [`${phone}/observe`, 'max_width=159', 'max_width'],
    [`${phone}/observe`, 'max_width=2001', 'max_width'],
    [`${phone}/observe`, 'max_width=160&max_width=160', 'max_width'],
    [`${phone}/observe`, 'screenshot=png&screenshot=png', 'screenshot'],
    [`${phone}/observe`, 'format=xml', 'format'],
    [`${phone}/observe`, 'format=text&format=text', 'format'],
    [`${phone}/screenshot`, 'format=webp', 'format'],
    [`${phone}/screenshot`, 'format=png&format=png', 'format'],
    [`${phone}/screenshot`, 'quality=29', 'quality'],
    [`${phone}/screenshot`, 'quality=70&quality=70', 'quality'],
    [`${phone}/screenshot`, 'quality=70.5', 'quality'],
    [`${phone}/screenshot`, 'quality=96', 'quality'],
    [`${phone}/screenshot`, 'max_width=159', 'max_width'],
    [`${phone}/screenshot`, 'max_width=2001', 'max_width'],
  ])('%s?%s is refused [2.4, 7.5, 8.2, 11.3, 20.10, 28.10, 29.5]', async (url, query, name) => {
    const response = await api.request('GET', `${url.replace('{id}', id)}?${query}`)
    const { details } = errorOf(response, 400, 'validation_failed')
    expect(details['validation_stage']).toBe('query')
    expect(details.issues?.map(({ path }) => path[0])).toContain(name)
  })
})
