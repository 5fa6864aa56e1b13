import { expect, it } from 'vitest'
import { parseAgentArgs } from './args.js'
import { UsageError } from './usage-error.js'

const parse = (line: string) => parseAgentArgs(line.split(' ').filter(Boolean))

it.each([
  ['', { command: 'run', config: null }],
  ['run', { command: 'run', config: null }],
  ['--config /a.yaml', { command: 'run', config: '/a.yaml' }],
  ['run --config=/a.yaml', { command: 'run', config: '/a.yaml' }],
  ['doctor --json', { command: 'doctor', config: null, json: true }],
  ['--version', { command: 'version' }],
  ['--help', { command: 'help' }],
  ['join --help', { command: 'help' }],
  [
    'join --server https://a --token-file - --listen 192.0.2.7:1 --run',
    {
      ...{ command: 'join', config: null },
      flags: {
        server: 'https://a',
        tokenFile: '-',
        listen: '192.0.2.7:1',
        insecure: false,
        dial: false,
        natsInsecure: false,
        run: true,
      },
    },
  ],
])('reads `%s`', (line, expected) => {
  expect(parse(line)).toEqual(expected)
})

it.each([
  ['jion', /the command `jion` does not exist; it must be run, join or doctor/],
  ['constructor', /does not exist/],
  ['join', /--server URL is missing/],
  ['join --server', /--server/],
  ['join --server= --token-file x', /--server is empty/],
  ['join --server https://a --tokn x', /join: Unknown option '--tokn'/],
  ['run --json', /run: Unknown option '--json'/],
  ['run now', /run: Unexpected argument 'now'/],
  ['--nonsense', /Unknown option '--nonsense'/],
])('refuses `%s`', (line, why) => {
  expect(() => parse(line)).toThrow(why)
  expect(() => parse(line)).toThrow(UsageError)
})
