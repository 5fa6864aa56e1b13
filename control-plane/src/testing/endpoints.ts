import { type Scope } from '../base/core/caller.js'

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path in the API description: `{id}` is a phone, or an upload under `/v1/apps/uploads`. */
  path: string
  /** The scope; null: the endpoint requires no key. */
  scope: Scope | null
  /** The query of a valid request that names only the phone. */
  query?: string
  body?: object
}

type Row = [Endpoint['method'], string, 'read' | 'control' | 'create' | 'delete' | 'none', string?, object?]

const rows: Row[] = [
  ['POST', '/v1/phones', 'create'],
  ['GET', '/v1/phones', 'read'],
  ['GET', '/v1/phones/{id}', 'read'],
  ['PATCH', '/v1/phones/{id}', 'control'],
  ['DELETE', '/v1/phones/{id}', 'delete'],
  ['POST', '/v1/phones/{id}/start', 'control'],
  ['POST', '/v1/phones/{id}/park', 'control'],
  ['POST', '/v1/phones/{id}/heartbeat', 'control'],
  ['GET', '/v1/phones/{id}/sessions', 'read'],
  ['GET', '/v1/phones/{id}/observe', 'read'],
  ['GET', '/v1/phones/{id}/screenshot', 'read'],
  ['POST', '/v1/phones/{id}/actions', 'control', '', { actions: [{ type: 'home' }], observe: 'none' }],
  ['GET', '/v1/apps/library', 'read'],
  ['GET', '/v1/phones/{id}/apps', 'read'],
  ['POST', '/v1/phones/{id}/apps', 'control', '', { package: 'org.example.app' }],
  ['GET', '/v1/phones/{id}/apps/installs', 'read'],
  ['DELETE', '/v1/phones/{id}/apps/{package}', 'control'],
  ['POST', '/v1/apps/uploads', 'control'],
  ['GET', '/v1/apps/uploads', 'read'],
  ['GET', '/v1/apps/uploads/{id}', 'read'],
  ['POST', '/v1/apps/uploads/{id}/complete', 'control', '', { storage_id: 'sto_aaaaaaaaaaaa' }],
  ['DELETE', '/v1/apps/uploads/{id}', 'control'],
  ['GET', '/v1/phones/{id}/files', 'read'],
  ['PUT', '/v1/phones/{id}/files', 'control', '?path=/sdcard/a'],
  ['GET', '/v1/phones/{id}/files/content', 'read', '?path=/sdcard/a'],
  ['DELETE', '/v1/phones/{id}/files', 'control', '?path=/sdcard/a'],
  ['GET', '/v1/phones/{id}/device', 'read'],
  ['GET', '/v1/phones/{id}/clipboard', 'control'],
  ['PUT', '/v1/phones/{id}/clipboard', 'control', '', { text: 'a' }],
  ['GET', '/v1/phones/{id}/location', 'read'],
  ['PUT', '/v1/phones/{id}/location', 'control', '', { lat: 1, lng: 2 }],
  ['DELETE', '/v1/phones/{id}/location', 'control'],
  ['GET', '/v1/phones/{id}/locale', 'read'],
  ['PUT', '/v1/phones/{id}/locale', 'control', '', { locale: 'en-US' }],
  ['GET', '/v1/phones/{id}/timezone', 'read'],
  ['PUT', '/v1/phones/{id}/timezone', 'control', '', { timezone: 'Europe/Paris' }],
  ['POST', '/v1/phones/{id}/reboot', 'control'],
  ['POST', '/v1/phones/{id}/reset', 'delete'],
  ['POST', '/v1/phones/{id}/recordings', 'control'],
  ['GET', '/v1/phones/{id}/recordings', 'read'],
  ['POST', '/v1/phones/{id}/recordings/{rid}/stop', 'control'],
  ['GET', '/v1/phones/{id}/recordings/{rid}/video', 'read'],
  ['DELETE', '/v1/phones/{id}/recordings/{rid}', 'control'],
  ['POST', '/v1/phones/{id}/live', 'control'],
  // Extensions of the interface specification.
  ['GET', '/v1/phones/{id}/steps', 'read'],
  ['GET', '/v1/phones/{id}/steps/export', 'read'],
  ['GET', '/v1/phones/{id}/steps/{sid}', 'read'],
  ['GET', '/v1/phones/{id}/steps/{sid}/screenshot', 'read'],
  ['POST', '/v1/phones/{id}/shell', 'control', '', { command: 'id' }],
  ['POST', '/v1/phones/{id}/handoffs', 'control', '', { message: 'Sign in.' }],
  ['GET', '/v1/phones/{id}/handoffs/{hid}', 'control'],
  ['DELETE', '/v1/phones/{id}/handoffs/{hid}', 'control'],
  ['GET', '/v1/phones/{id}/logs', 'read'],
  ['GET', '/v1/phones/{id}/crashes', 'read'],
  ['GET', '/v1/phones/{id}/notifications', 'read'],
  ['POST', '/v1/phones/{id}/notifications/{nid}/open', 'control'],
  ['POST', '/v1/phones/{id}/notifications/{nid}/dismiss', 'control'],
  [
    'POST',
    '/v1/phones/{id}/apps/{package}/permissions',
    'control',
    '',
    { grant: ['android.permission.CAMERA'] },
  ],
  ['GET', '/v1/events', 'read'],
  ['POST', '/v1/webhooks', 'control', '', { url: 'https://example.com/events' }],
  ['GET', '/v1/webhooks', 'read'],
  ['GET', '/v1/webhooks/{wid}', 'read'],
  ['PATCH', '/v1/webhooks/{wid}', 'control', '', { enabled: true }],
  ['DELETE', '/v1/webhooks/{wid}', 'control'],
  ['POST', '/v1/webhooks/{wid}/test', 'control'],
  ['POST', '/v1/webhooks/{wid}/rotate', 'control'],
  ['GET', '/v1/webhooks/{wid}/deliveries', 'read'],
  ['POST', '/v1/webhooks/{wid}/deliveries/{did}/retry', 'control'],
  ['GET', '/v1/account', 'read'],
  ['POST', '/v1/credits/checkout', 'control'],
  ['POST', '/v1/setup', 'none'],
  ['POST', '/v1/setup/token', 'none', '', { setup_token: `prs_${'a'.repeat(43)}` }],
]

export const endpoints: readonly Endpoint[] = rows.map(([method, path, scope, query, body]) => ({
  method,
  path,
  scope: scope === 'none' ? null : `phones:${scope}`,
  ...(query ? { query } : {}),
  ...(body ? { body } : {}),
}))

export const namesPhone = ({ path }: Endpoint): boolean => path.startsWith('/v1/phones/{id}')

/** The request of an endpoint on this phone (or upload). */
export function requestOf({ method, path, query, body }: Endpoint, id: string) {
  const named = path
    .replace('{id}', id)
    .replace('{rid}', 'rec_aaaaaaaaaaaa')
    .replace('{sid}', 'stp_aaaaaaaaaaaa')
    .replace('{hid}', 'hnd_aaaaaaaaaaaa')
    .replace('{nid}', 'ntf_aaaaaaaaaaaa')
    .replace('{wid}', 'whk_aaaaaaaaaaaa')
    .replace('{did}', 'dlv_aaaaaaaaaaaa')
    .replace('{package}', 'org.example.app')
  return {
    method,
    url: `${named}${query ?? ''}`,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body ? { payload: JSON.stringify(body) } : {}),
  }
}
