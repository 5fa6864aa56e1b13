import { expect, it } from 'vitest'
import { z } from 'zod'
import { setting, settingsOf } from './index.js'

it('describes settings with their default as text, and names one without a description', () => {
  const shape = {
    PORT: setting(z.coerce.number().default(8080), 'A port.', { unit: 'port' }),
    URL: setting(z.string().min(1), 'An address.'),
    LIST: setting(
      z
        .string()
        .default('')
        .transform((text) => text.split(',').filter(Boolean)),
      'A list.',
    ),
    MODE: setting(z.enum(['on', 'off']).default('off'), 'A switch.', { since: '1.2.0' }),
    PRICE: setting(z.coerce.bigint().default(5n), 'A price.'),
    FILE: setting(z.string().optional(), 'A file.', { fallback: 'beside URL' }),
    NONE: setting(z.string().optional(), 'Nothing.'),
  }
  expect(settingsOf(shape).map((each) => [each.name, each.default, each.since])).toEqual([
    ['PORT', '8080', '0.1.0'],
    ['URL', null, '0.1.0'],
    ['LIST', '', '0.1.0'],
    ['MODE', 'off', '1.2.0'],
    ['PRICE', '5', '0.1.0'],
    ['FILE', 'beside URL', '0.1.0'],
    ['NONE', '', '0.1.0'],
  ])
  expect(settingsOf(shape)[3]).toMatchObject({ about: 'A switch.', values: ['on', 'off'] })
  expect(settingsOf(shape)[0]?.unit).toBe('port')
  expect(() => settingsOf({ PLAIN: z.string() })).toThrow('PLAIN has no description')
})
