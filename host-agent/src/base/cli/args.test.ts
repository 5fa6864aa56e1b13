import { expect, it } from 'vitest'
import { parseAgentArgs } from './args.js'
import { UsageError } from './usage-error.js'

const parse = (line: string) => parseAgentArgs(line.split(' ').filter(Boolean))

it.each([
  ['', { command: 'run', config: null }],
  ['run', { command: 'run', config: null }],
  ['--config /a.yaml', { command: 'run', config: '/a.yaml' }],
  ['run --config=/a.yaml', { command: 'run', config: '/a.yaml' }],
  ['health --config a.yaml', { command: 'health', config: 'a.yaml' }],
  ['doctor --json', { command: 'doctor', config: null, json: true }],
  ['accept R5 --erase', { command: 'accept', config: null, serial: 'R5', report: '.' }],
  [
    'accept --erase 127.0.0.1:7 --report d',
    { command: 'accept', config: null, serial: '127.0.0.1:7', report: 'd' },
  ],
  [
    'elements a.xml --screen 1080x2400',
    { command: 'elements', file: 'a.xml', screen: { width: 1080, height: 2400 }, json: false },
  ],
  ['--version', { command: 'version' }],
  ['--help', { command: 'help' }],
  ['join --help', { command: 'help' }],
  [
    'join --server https://a --token-file - --listen 192.0.2.7:1 --run',
    {
      command: 'join',
      config: null,
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
  ['jion', /the command `jion` does not exist; it must be run, join, doctor, health, accept or elements/],
  ['constructor', /does not exist/],
  ['accept R5', /accept: --erase is missing\. The run deletes all data of the phone R5/],
  ['accept --erase', /accept: SERIAL is missing/],
  ['accept R5 R6 --erase', /`R6` is one word too many/],
  ['elements --screen 1x1', /elements: FILE\.xml is missing/],
  ...[undefined, '1080', '0x5', '1080X2400', '999999x1'].map((size): [string, RegExp] => [
    `elements a.xml${size === undefined ? '' : ` --screen ${size}`}`,
    /elements: --screen WxH is required/,
  ]),
  ['doctor now', /doctor: Unexpected argument 'now'/],
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
