import fc from 'fast-check'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseUpArgs, UsageError } from './args.js'

const parse = (...argv: string[]) => parseUpArgs(argv, '/checkout')

describe('parseUpArgs', () => {
  it('has the documented defaults', () => {
    expect(parse()).toEqual({
      detach: false,
      data: '/checkout/.phonerack',
      port: null,
      virtualPhones: 3,
      country: 'US',
      part: 'all',
      host: '127.0.0.1',
      databaseUrl: null,
      natsUrl: null,
    })
  })

  it('reads every flag', () => {
    const line =
      '--detach --data d --port 7801 --virtual-phones 12 --country de --host-only --nats-url nats://h:4222'
    expect(parse(...line.split(' '))).toEqual({
      detach: true,
      data: path.resolve('d'),
      port: 7801,
      virtualPhones: 12,
      country: 'DE',
      part: 'host',
      host: '127.0.0.1',
      databaseUrl: null,
      natsUrl: 'nats://h:4222',
    })
    expect(parse('--control-only', '--database-url', 'postgresql://u:p@h/d')).toMatchObject({
      part: 'control',
      virtualPhones: 0,
      databaseUrl: 'postgresql://u:p@h/d',
    })
    expect(parse('--help')).toBeNull()
  })

  it.each([
    [['--port', '65536'], /--port must be a whole number from 0 to 65535, not 65536/],
    [['--port', '80a'], /--port/],
    [['--port', '10080'], /--port must not be 10080: browsers and HTTP clients refuse to connect to it/],
    [['--port', '6000'], /--port must not be 6000/],
    [['--port', '-1'], /--port/],
    [['--virtual-phones', '1.5'], /--virtual-phones/],
    [['--country', 'USA'], /--country must be two letters, not USA/],
    [['--data', ''], /--data must not be empty/],
    [['--host-only', '--control-only'], /cannot be used together/],
    [['--host-only'], /--host-only needs --nats-url/],
    [['--database-url', 'mysql://x'], /--database-url must be a URL that starts with postgres:/],
    [['--nats-url', 'localhost:4222'], /--nats-url/],
    [['--nonsense'], /--nonsense/],
    [['extra'], /extra/],
  ])('refuses %j', (argv, why) => {
    expect(() => parse(...argv)).toThrow(UsageError)
    expect(() => parse(...argv)).toThrow(why)
  })

  it('lets other machines connect only when the command line says so', () => {
    const hostOf = (argv: string[], env: Record<string, string>) => parseUpArgs(argv, '/checkout', env)?.host
    const only = ['--host-only', '--nats-url', 'nats://h:4222']
    expect(hostOf([], { PHONERACK_HTTP_HOST: '127.0.0.2' })).toBe('127.0.0.2')
    expect(hostOf(['--host', '::1'], { PHONERACK_HTTP_HOST: '127.0.0.2' })).toBe('::1')
    expect(hostOf(['--host', '192.0.2.1'], {})).toBe('192.0.2.1')
    expect(hostOf(['--host', '0.0.0.0'], { PHONERACK_BASE_URL: 'https://phones.example.org' })).toBe(
      '0.0.0.0',
    )
    expect(hostOf([...only, '--host', '192.0.2.1'], { PHONERACK_HTTP_HOST: '10.0.0.1' })).toBe('192.0.2.1')
    expect(hostOf(only, { PHONERACK_HTTP_HOST: '10.0.0.1' })).toBe('127.0.0.1')
    const refused = (argv: string[], env: Record<string, string> = {}) => expect(() => hostOf(argv, env))
    refused([], { PHONERACK_HTTP_HOST: '0.0.0.0' }).toThrow(
      /PHONERACK_HTTP_HOST is 0\.0\.0\.0, .*--host 0\.0\.0\.0/,
    )
    refused(['--host', '0.0.0.0']).toThrow(/needs the environment variable PHONERACK_BASE_URL/)
    for (const any of ['::', '::0', '0:0:0:0:0:0:0:0', '::0.0.0.0', '::ffff:0.0.0.0'])
      refused(['--host', any]).toThrow(/needs the environment variable PHONERACK_BASE_URL/)
    expect(hostOf(['--host', '::0'], { PHONERACK_BASE_URL: 'https://phones.example.org' })).toBe('::')
    refused([...only, '--host', '0.0.0.0']).toThrow(/PHONERACK_GRPC_ADDRESS/)
    refused([...only, '--host', '::1']).toThrow(/IPv4/)
    refused(['--host', 'example.org']).toThrow(/--host must be an IP address, not example\.org/)
  })

  it('throws only usage errors', () => {
    const word = fc.oneof(
      fc.constantFrom('--port', '--data', '--help', '--detach', '--', '-h', '--country'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        try {
          parse(...argv)
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError)
        }
      }),
    )
  })
})

it('refuses the ports that fetch refuses, and no adjacent ports', async () => {
  const isBad = async (port: number): Promise<boolean> => {
    const error: unknown = await fetch(`http://127.0.0.1:${port}/`, {
      signal: AbortSignal.timeout(1000),
    }).then(
      (response) => response.body?.cancel(),
      (reason: unknown) => reason,
    )
    return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port'
  }
  const isRefused = (port: number): boolean => {
    try {
      parse('--port', String(port))
      return false
    } catch {
      return true
    }
  }
  const ports = Array.from({ length: 11_000 }, (_, port) => port).slice(1)
  const refused = ports.filter(isRefused)
  const adjacent = refused
    .flatMap((port) => [port - 1, port + 1])
    .filter((port) => port > 0 && !isRefused(port))
  expect(await Promise.all(refused.map(isBad))).toEqual(refused.map(() => true))
  expect(await Promise.all(adjacent.map(isBad))).toEqual(adjacent.map(() => false))
})
