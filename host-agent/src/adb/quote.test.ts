/** Quoting, checked with a real `sh`. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { command, commandWith, pipe, quote, sequence } from './quote.js'

const sh = (script: string): string => execFileSync('sh', ['-c', script]).toString('utf8')

/** Valid arguments: whole code points without NUL, often shell metacharacters. */
const argument = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...Array.from(`'"\\$\`;&|<>()*?[]{}!#~ \t\n-=%a`)) }),
  )
  .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text)

describe('quote', () => {
  it('passes every argument through a real sh unchanged', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(argument, { minLength: 1, maxLength: 4 }), { minLength: 20, maxLength: 20 }),
        (lists) => {
          // Many lists are tested in one shell: `printf` ends each argument with NUL, which no argument
          // contains.
          const script = lists.map((args) => `printf '%s\\0' ${quote(args)}`).join('\n')
          expect(sh(script).split('\0').slice(0, -1)).toEqual(lists.flat())
        },
      ),
      { numRuns: 40 },
    )
  })

  it('rejects NUL and an empty list', () => {
    expect(() => quote(['a\0b'])).toThrow(RangeError)
    expect(() => quote([])).toThrow(RangeError)
  })

  it('keeps an argument from becoming a command', () => {
    const nasty = `x'; echo pwned; '$(echo pwned)\`echo pwned\``
    expect(sh(command('printf', '%s', nasty))).toBe(nasty)
    expect(sh(commandWith({ LANG_X: nasty }, 'sh', '-c', 'printf %s "$LANG_X"'))).toBe(nasty)
    expect(sh(sequence(command('printf', 'a;b'), command('printf', 'c')))).toBe('a;bc')
    expect(sh(pipe(command('printf', 'a\nb\n'), command('grep', '-F', 'b')))).toBe('b\n')
  })
})

describe('the rule of the project', () => {
  it('is that only quote.ts makes a ShellCommand', () => {
    const source = join(import.meta.dirname, '..')
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    expect(files.length).toBeGreaterThan(10)
    const offenders = files.filter(
      (name) =>
        !/adb[\\/]quote(\.test)?\.ts$/.test(name) &&
        /as (unknown as )?ShellCommand|<ShellCommand>|(shell|exec)(,[a-z0-9]+)*:\$\{(?!command\})/.test(
          readFileSync(join(source, name), 'utf8'),
        ),
    )
    expect(offenders).toEqual([])
  })
})
