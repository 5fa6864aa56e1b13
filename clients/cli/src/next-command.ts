/** Rewrites the requests in an error's `next` as commands. Requests without a command stay unchanged. Pure. */

type Rule = readonly [method: string, path: RegExp, command: string]

const phone = '/v1/phones/([^/]+)'
const rules: readonly Rule[] = [
  ['GET', /^\/v1\/phones$/, 'phone list'],
  ['POST', /^\/v1\/phones$/, 'phone create'],
  ['GET', new RegExp(`^${phone}$`), 'phone get $1'],
  ['DELETE', new RegExp(`^${phone}$`), 'phone delete $1'],
  ['POST', new RegExp(`^${phone}/(start|park|reboot|reset)$`), 'phone $2 $1'],
  ['GET', new RegExp(`^${phone}/observe$`), 'phone observe $1'],
  ['GET', new RegExp(`^${phone}/screenshot$`), 'phone shot $1'],
  ['GET', new RegExp(`^${phone}/(apps|logs|crashes|notifications|steps)$`), 'phone $2 $1'],
  ['POST', new RegExp(`^${phone}/apps$`), 'phone install $1'],
  ['GET', new RegExp(`^${phone}/steps/([^/]+)$`), 'phone steps show $1 $2'],
  ['POST', new RegExp(`^${phone}/handoffs$`), 'phone handoff $1'],
  ['GET', new RegExp(`^${phone}/files$`), 'phone ls $1'],
  ['GET', /^\/v1\/apps\/library$/, 'app library'],
  ['GET', /^\/v1\/apps\/uploads$/, 'app list'],
  ['POST', /^\/v1\/apps\/uploads$/, 'app upload'],
  ['GET', /^\/v1\/account$/, 'account'],
  ['GET', /^\/v1\/events$/, 'events'],
  ['GET', /^\/v1\/webhooks$/, 'webhook list'],
  ['GET', /^\/v1\/webhooks\/([^/]+)\/deliveries$/, 'webhook deliveries $1'],
]

function commandOf(method: string, target: string): string | null {
  const [path = '', query = ''] = target.split('?')
  const status = new URLSearchParams(query).get('status')
  for (const [ruleMethod, pattern, command] of rules) {
    if (ruleMethod !== method || !pattern.test(path)) continue
    const words = path.replace(pattern, command)
    return status === null ? `\`phonerack ${words}\`` : `\`phonerack ${words} --status ${status}\``
  }
  return null
}

/** Actions that a command runs: `{"type": "key", "key": "wake"}` is `phonerack phone key wake`. */
const keyAction = /Run the action \{"type": ?"key", ?"key": ?"(\w+)"\}/g

export const nextCommands = (next: string): string =>
  next
    .replace(keyAction, 'Run `phonerack phone key $1`')
    .replace(
      /`?\b(GET|POST|PUT|DELETE) (\/v1\/[^\s"'`,;()]*[^\s"'`,;:.()])`?/g,
      (whole, method: string, target: string) => commandOf(method, target) ?? whole,
    )
