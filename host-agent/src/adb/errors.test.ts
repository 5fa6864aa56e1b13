/** Errors of adb name the failed command. */
import { inspect } from 'node:util'
import { createLogger } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AdbRefused, serviceName } from './errors.js'
import { command, commandName, commandWith, sequence } from './quote.js'

describe('the name of a command', () => {
  it.each([
    [command('input', 'text', 'hunter2'), 'input text'],
    [command('am', 'start', '-a', 'android.intent.action.VIEW', '-d', 'https://a.example/?t=1'), 'am start'],
    [command('cmd', 'testharness', 'enable'), 'cmd testharness enable'],
    [command('cmd', 'package', 'uninstall', 'com.example'), 'cmd package uninstall'],
    [command('rm', '-f', '/sdcard/tax.pdf'), 'rm'],
    [commandWith({ CLASSPATH: '/a.jar' }, 'app_process', '/', 'x'), 'app_process'],
    [sequence(command('setprop', 'a', 'b'), command('reboot')), 'setprop'],
    [command("it's"), 'a command'],
  ])('of %j is %j', (line, name) => {
    expect(commandName(line)).toBe(name)
  })
})

describe('an error of adb', () => {
  it('contains no typed text from the command or the answer', () => {
    const text = fc.string({ minLength: 6, unit: fc.constantFrom(...Array.from(`hunter'" $;:/\\`)) })
    fc.assert(
      fc.property(text, fc.constantFrom('shell,v2,raw:', 'exec:', 'shell:'), (typed, kind) => {
        const service = kind + command('input', 'text', `7${typed}7`)
        let line = ''
        const log = createLogger('test', { write: (written: string) => void (line += written) })
        const error = new AdbRefused(service, `no such service: ${service}`)
        log.error({ err: new Error('above', { cause: error }) }, 'a call failed')
        for (const shown of [line, inspect(error), JSON.stringify(error)])
          expect(shown).not.toContain(typed.slice(0, 5))
      }),
    )
  })

  it('names the service', () => {
    expect(new AdbRefused('host:transport:R5CT', 'device offline').message).toBe(
      'adb rejected host:transport:R5CT: device offline',
    )
    expect(serviceName('localabstract:scrcpy_1a2b')).toBe('localabstract:scrcpy_1a2b')
    expect(serviceName('shell,v2,raw:' + command('input', 'text', 'hunter2'))).toBe('shell,v2,raw:input text')
  })
})
