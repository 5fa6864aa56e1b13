import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCtlArgs, synopsis } from './args.js'
import { commands } from './commands.js'
import { hostChangeFrom } from './commands/host.js'
import { newKeyFrom } from './commands/key.js'
import { changeFrom } from './commands/project.js'
import { UsageError } from './usage-error.js'
import { duration } from './values.js'

const parse = (line: string) => parseCtlArgs(line.split(' ').filter(Boolean))
const invocation = (line: string) => {
  const parsed = parse(line)
  if (parsed.kind !== 'run') throw new Error('help')
  return parsed.invocation
}

describe('parseCtlArgs', () => {
  it('finds command, words and flags with common flags in any position', () => {
    for (const line of [
      '--data /d --json device enroll 127.0.0.1:6001 --erase',
      'device --json enroll 127.0.0.1:6001 --erase --data /d',
    ]) {
      const { command, words, flags, data, json } = invocation(line)
      expect(command.name).toBe('device enroll')
      expect(words).toEqual(['127.0.0.1:6001'])
      expect(flags).toEqual({ erase: true })
      expect([data, json]).toEqual(['/d', true])
    }
  })

  it.each([
    ['device', /requires one of: list, show, enroll, release, remove, move, drain/],
    ['device frobnicate', /requires one of/],
    ['frobnicate', /unknown command `frobnicate`/],
    ['device show', /expected: \.\/scripts\/ctl device show ID\|SERIAL/],
    ['device show a b', /expected/],
    ['host list --erase', /--erase is not an option of `host list`/],
    ['host list --nonsense', /Unknown option '--nonsense'/],
    ['key create --name', /--name/],
    ['key create', /--project ID is required; expected: .* --project ID \[--preset/],
    ['activity list', /--project ID is required/],
    ['device enroll a --erase --erase', /--erase is given more than once/],
    ['host set a --label x=1 --label y=2', /--label is given more than once/],
    ['phone delete ph_a', /--reason TEXT is required/],
    ['phone delete --reason x', /expected: .*phone delete ID\.\.\./],
    ['phone list --limit 5 more', /expected/],
    ['project create --credit 5', /--name N is required/],
    ['operator token create', /--name N is required/],
    ['operator', /requires one of: token, invitation$/],
    ['audit list --idempotency-key short', /--idempotency-key must consist of 8 to 128/],
  ])('refuses `%s` and says why', (line, why) => {
    expect(() => parse(line)).toThrow(UsageError)
    expect(() => parse(line)).toThrow(why)
  })

  it('shows every command in the help', () => {
    const parsed = parse('--help')
    const text = parsed.kind === 'help' ? parsed.text : ''
    for (const command of commands) expect(text).toContain(synopsis(command).replace('./scripts/ctl ', ''))
    expect(parse('').kind).toBe('help')
    expect(parse('device enroll --help').kind).toBe('help')
  })

  it('marks required and optional parts in the help', () => {
    const text = (line: string) => {
      const parsed = parse(`${line} --help`)
      return parsed.kind === 'help' ? parsed.text : ''
    }
    expect(text('key create')).toContain('key create --project ID [--preset')
    expect(text('activity list')).toContain('activity list --project ID [--limit')
    expect(text('key list')).toContain('key list [--project ID]')
    expect(text('activity list')).not.toContain('[--project')
    expect(text('project create')).toContain('--name N [--owner O] [--credit USD]')
  })

  it('reads any line as a command, help or a usage error', () => {
    const words = fc.constantFrom(
      'device',
      'list',
      'show',
      'enroll',
      '--erase',
      '--json',
      '--data',
      '--',
      '-h',
      'x',
      '--credit',
      '',
    )
    fc.assert(
      fc.property(fc.array(words), (line) => {
        try {
          parseCtlArgs(line)
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError)
        }
      }),
    )
  })
})

describe('values', () => {
  it('reads a project update', () => {
    expect(changeFrom({ credit: '12.5', 'max-phones': '7', unfreeze: true })).toEqual({
      credit_usd: '12.5',
      max_phones: 7,
      frozen: false,
    })
    expect(changeFrom({ credit: '-3' })).toEqual({ credit_usd: '-3' })
    expect(changeFrom({ 'parked-limit': '5' })).toEqual({ parked_limit: 5 })
    expect(changeFrom({ 'parked-limit': 'none' })).toEqual({ parked_limit: null })
  })

  it.each([
    [{}, /nothing to change/],
    [{ freeze: true, unfreeze: true }, /cannot be used together/],
    [{ credit: '1.1234567' }, /--credit must be an amount/],
    [{ credit: '1e3' }, /--credit/],
    [{ 'spend-limit': '-1' }, /--spend-limit/],
    [{ 'parked-limit': 'all' }, /--parked-limit must be a whole number/],
    [{ 'max-phones': '1.5' }, /--max-phones must be a whole number/],
  ])('refuses the update %j', (flags, why) => {
    expect(() => changeFrom(flags)).toThrow(why)
  })

  it('reads a change of a host', () => {
    expect(hostChangeFrom({ name: 'rack 2', country: 'de', label: 'room=a,row=' })).toEqual({
      name: 'rack 2',
      country: 'DE',
      labels: { room: 'a', row: null },
    })
    expect(hostChangeFrom({ country: 'FR' })).toEqual({ country: 'FR' })
    for (const label of ['room', '=a', 'room=a,'])
      expect(() => hostChangeFrom({ label })).toThrow(/KEY=VALUE/)
    expect(() => hostChangeFrom({})).toThrow(/nothing to change/)
  })

  it('reads a new key', () => {
    const phones = 'ph_aaaaaaaaaaaa, ph_bbbbbbbbbbbb'
    expect(newKeyFrom({ project: 'proj_x', preset: 'read-only', phones, expires: '1y', name: 'n' })).toEqual({
      project: 'proj_x',
      preset: 'read-only',
      phones: ['ph_aaaaaaaaaaaa', 'ph_bbbbbbbbbbbb'],
      expires: '1y',
      name: 'n',
    })
    expect(newKeyFrom({ project: 'p', preset: 'admin' })).toEqual({ project: 'p', preset: 'admin' })
    expect(newKeyFrom({ project: 'p' })).toEqual({ project: 'p', preset: 'agent' })
  })

  it.each([
    [{ preset: 'agent' }, /--project ID is required/],
    [{ project: 'p', preset: 'root' }, /--preset/],
    [{ project: 'p', preset: 'agent', expires: '2d' }, /--expires must be one of 30d, 90d, 1y, never/],
    [{ project: 'p', preset: 'agent', phones: 'ph_short' }, /ph_short is not a phone ID/],
    [{ project: 'p', preset: 'agent', phones: '' }, /an empty value is not a phone ID/],
  ])('refuses the key %j', (flags, why) => {
    expect(() => newKeyFrom(flags)).toThrow(why)
  })
})

describe('duration', () => {
  it.each([
    ['5s', 5],
    ['30m', 1800],
    ['1h', 3600],
    ['0s', 0],
  ])('reads %s', (text, seconds) => expect(duration('deadline', text)).toBe(seconds))

  it.each(['', '30', '1.5h', '-5s', '1h30m', '5 s'])('refuses %j', (text) =>
    expect(() => duration('deadline', text)).toThrow(/--deadline must be a duration such as 5s/),
  )
})
