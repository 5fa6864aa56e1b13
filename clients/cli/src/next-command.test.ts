import { expect, it } from 'vitest'
import { nextCommands } from './next-command.js'
import { startBench } from './testing/program.js'

const id = 'ph_aaaaaaaaaaaa'

it.each([
  [`POST /v1/phones/${id}/start`, `\`phonerack phone start ${id}\``],
  [`GET /v1/phones/${id}?wait=ready`, `\`phonerack phone get ${id}\``],
  ['Create a new phone: POST /v1/phones', 'Create a new phone: `phonerack phone create`'],
  [
    'Delete a parked phone that you do not need: GET /v1/phones?status=parked',
    'Delete a parked phone that you do not need: `phonerack phone list --status parked`',
  ],
  [
    `Take a screenshot (GET /v1/phones/${id}/screenshot) and use coordinates.`,
    `Take a screenshot (\`phonerack phone shot ${id}\`) and use coordinates.`,
  ],
  [
    'GET /v1/apps/library, or upload the APK (POST /v1/apps/uploads) and install it with "upload".',
    '`phonerack app library`, or upload the APK (`phonerack app upload`) and install it with "upload".',
  ],
  [
    'Run the action {"type": "key", "key": "wake"} first, then this action again.',
    'Run `phonerack phone key wake` first, then this action again.',
  ],
  ['Add credit: POST /v1/credits/checkout', 'Add credit: POST /v1/credits/checkout'],
])('%s', (next, command) => {
  expect(nextCommands(next)).toBe(command)
})

it('names only commands that exist', async () => {
  const bench = await startBench()
  const requests = [
    ...['GET /v1/phones', 'POST /v1/phones', `GET /v1/phones/${id}`, `DELETE /v1/phones/${id}`],
    ...['start', 'park', 'reboot', 'reset', 'apps', 'handoffs'].map(
      (name) => `POST /v1/phones/${id}/${name}`,
    ),
    ...[
      'observe',
      'screenshot',
      'apps',
      'logs',
      'crashes',
      'notifications',
      'steps',
      'steps/stp_a',
      'files',
    ].map((name) => `GET /v1/phones/${id}/${name}`),
    ...['GET /v1/apps/library', 'GET /v1/apps/uploads', 'POST /v1/apps/uploads', 'GET /v1/account'],
    ...['GET /v1/events', 'GET /v1/webhooks', 'GET /v1/webhooks/whk_a/deliveries'],
  ]
  for (const request of requests) {
    const [, line = ''] = /^`phonerack (.+)`$/.exec(nextCommands(request)) ?? []
    const words = line.split(' ').filter((word) => !word.includes('_'))
    const { out } = await bench.phonerack([...words, '--help'])
    expect(out, request).toMatch(new RegExp(`^Usage: phonerack ${words.join(' ')}\\b`))
  }
  await bench.close()
})
