// Every route whose requests appear in the activity has a description.
import { expect, it } from 'vitest'
import { rules } from '../../api/routes/console/rules.js'
import { useWorld } from '../../testing/world.js'
import { activityText } from './texts.js'

const world = useWorld()

it('describes each change in /v1', async () => {
  const { server } = await world.start()
  const { paths } = (await server.inject('/openapi.json')).json<{ paths: Record<string, object> }>()
  const changes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'get' && path.startsWith('/v1/') && !path.startsWith('/v1/setup'))
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1')] as const),
  )
  expect(changes.length).toBeGreaterThan(30)
  for (const [method, route] of changes) expect(activityText(method, route)).not.toContain(route)
})

it('describes what members do with phones, uploads and webhooks', () => {
  const changes = Object.keys(rules).filter(
    (rule) => !rule.startsWith('GET') && /^\w+ \/projects\/:project\/(phones|uploads|webhooks)/.test(rule),
  )
  expect(changes.length).toBeGreaterThan(20)
  for (const change of changes) {
    const [method = '', path = ''] = change.split(' ')
    const route = `/console/api${path}`
    expect(activityText(method, route)).not.toContain(route)
  }
})

it('shows the path of an unknown route', () => {
  expect(activityText('POST', '/v1/removed/:id')).toBe('POST /v1/removed/:id')
})
