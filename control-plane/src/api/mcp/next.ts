/** Rewrites the requests in an error's `next` as tool calls, for clients that can only call tools. Pure. */
import { quoted } from './text.js'

type Arguments = Record<string, string | number | boolean>
type Rule = readonly [method: string, path: RegExp, tool: string, args: (...groups: string[]) => Arguments]

const phone = '/v1/phones/([^/]+)'
const rules: readonly Rule[] = [
  ['GET', /^\/v1\/phones$/, 'list_phones', () => ({})],
  ['POST', /^\/v1\/phones$/, 'create_phone', () => ({})],
  ['GET', new RegExp(`^${phone}$`), 'get_phone', (id) => ({ phone_id: id })],
  ['POST', new RegExp(`^${phone}/(start|park|reboot)$`), '$2_phone', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/observe$`), 'observe', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/screenshot$`), 'observe', (id) => ({ phone_id: id, screenshot: true })],
  ['GET', new RegExp(`^${phone}/apps(?:/installs)?$`), 'list_apps', (id) => ({ phone_id: id })],
  ['POST', new RegExp(`^${phone}/apps$`), 'install_app', (id) => ({ phone_id: id })],
  [
    'POST',
    new RegExp(`^${phone}/apps/([^/]+)/permissions$`),
    'set_permissions',
    (id, name) => ({ phone_id: id, package: name }),
  ],
  ['GET', new RegExp(`^${phone}/notifications$`), 'notifications', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/steps$`), 'list_steps', (id) => ({ phone_id: id })],
  ['GET', /^\/v1\/apps\/library$/, 'search_library', () => ({})],
  ['POST', /^\/v1\/apps\/uploads$/, 'create_app_upload', () => ({})],
  ['GET', new RegExp(`^${phone}/files$`), 'list_files', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/files/content$`), 'read_file', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/clipboard$`), 'clipboard', (id) => ({ phone_id: id })],
  ['GET', new RegExp(`^${phone}/(?:location|locale|timezone)$`), 'set_device', (id) => ({ phone_id: id })],
  ['POST', new RegExp(`^${phone}/handoffs$`), 'hand_off', (id) => ({ phone_id: id })],
  [
    'GET',
    new RegExp(`^${phone}/handoffs/([^/]+)$`),
    'hand_off',
    (id, handoff) => ({ phone_id: id, handoff_id: handoff }),
  ],
  [
    'POST',
    new RegExp(`^${phone}/recordings/([^/]+)/stop$`),
    'record_screen',
    (id, recording) => ({ phone_id: id, operation: 'stop', recording_id: recording }),
  ],
  [
    'GET',
    new RegExp(`^${phone}/recordings$`),
    'record_screen',
    (id) => ({ phone_id: id, operation: 'list' }),
  ],
]

/** Query parameters that the tool also takes. */
const kept: Record<string, readonly string[]> = {
  list_phones: ['status'],
  get_phone: ['wait'],
  list_files: ['path'],
  read_file: ['path'],
}

function toTool(method: string, target: string): string | null {
  const [path = '', query = ''] = target.split('?')
  for (const [ruleMethod, pattern, name, args] of rules) {
    const match = ruleMethod === method ? pattern.exec(path) : null
    if (!match) continue
    const tool = name.replace('$2', match[2] ?? '')
    const asked = new URLSearchParams(query)
    const more = (kept[tool] ?? []).flatMap((key) => {
      const value = asked.get(key)
      return value === null ? [] : [[key, value] as const]
    })
    const all = { ...args(...match.slice(1)), ...Object.fromEntries(more) }
    return Object.keys(all).length === 0 ? tool : `${tool} ${quoted(all)}`
  }
  return null
}

/** A request that no tool can send stays unchanged. */
export const nextForTools = (next: string | null): string | null =>
  next === null
    ? null
    : next.replace(
        /\b(GET|POST|PUT|DELETE) (\/v1\/[^\s"'`,;()]*[^\s"'`,;:.()])/g,
        (whole, method: string, target: string) => toTool(method, target) ?? whole,
      )
