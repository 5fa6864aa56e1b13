/** Parsing lists and dumps of packages: as Android prints them, and corrupt output. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  oneLine,
  parseAppList,
  parsePackageList,
  parsePackageNames,
  parseVersionNames,
  refusalOf,
  UnreadableList,
} from './parse.js'

const list = `WARNING: linker: something
package:/data/app/~~MC4_x==/org.example.shop-Zz-9==/base.apk=org.example.shop versionCode:5 uid:10200
package:/system/framework/framework-res.apk=android versionCode:34
package:/product/app/a=b/x.apk=com.maker.x versionCode:9223372036854775807
`
const dump = `Packages:
  Package [org.example.shop] (ab12):
    versionName=5.0 beta
  Package [android] (cd34):
    versionName=14
  Package [com.maker.x] (1):
    versionName=null
Hidden system packages:
  Package [android] (ff):
    versionName=13
`

describe('a list of packages', () => {
  it('is parsed with paths that contain "="', () => {
    expect(parsePackageList(list)).toMatchObject([
      { package: 'org.example.shop', versionCode: 5 },
      { package: 'android', path: '/system/framework/framework-res.apk', versionCode: 34 },
      { package: 'com.maker.x', path: '/product/app/a=b/x.apk' },
    ])
    expect(parsePackageList('')).toEqual([])
    expect([...parsePackageNames('package:android\npackage:a.b\n')]).toEqual(['android', 'a.b'])
  })

  it('is refused completely when a line has another form, since a package would be missing', () => {
    for (const bad of ['package:org.example.shop', 'package:/x=org.example.shop', 'package:'])
      expect(() => parsePackageList(`${list}${bad}\n`), bad).toThrow(UnreadableList)
    expect(() => parsePackageNames('package:/x=a.b\n')).toThrow(UnreadableList)
  })
})

describe('version names', () => {
  it('are the versions of the packages in use, not the versions that updates hide [38.3]', () => {
    expect([...(parseVersionNames(dump) ?? [])]).toEqual([
      ['org.example.shop', '5.0 beta'],
      ['android', '14'],
      ['com.maker.x', ''],
    ])
    expect(parseVersionNames('Can not find service: package\n')).toBeNull()
  })

  it('that imitate the dump change no earlier package', () => {
    const nasty = dump.replace('5.0 beta', '5\n  Package [org.example.shop] (x):\n    versionName=9')
    expect(parseVersionNames(nasty)?.get('org.example.shop')).toBe('5')
  })
})

describe('labels', () => {
  it('are parsed from scrcpy 3.3.3, long labels over two lines', () => {
    const text = `[server] INFO: Device: x
[server] INFO: List of apps:
 * Ünique  Shop                  org.example.shop
 - Name with 2.5 dots            com.a.b
 - A label of more than thirty characters
                                  com.long.label
`
    expect([...parseAppList(text)]).toEqual([
      ['org.example.shop', 'Ünique  Shop'],
      ['com.a.b', 'Name with 2.5 dots'],
      ['com.long.label', 'A label of more than thirty characters'],
    ])
  })

  it('are one line, of at most 500 characters', () => {
    expect(oneLine(' a\n\tb\0c ')).toBe('a b c')
    expect(Array.from(oneLine('😀'.repeat(600))).length).toBe(500)
  })
})

describe('an answer of pm', () => {
  it.each([
    ['Success\n', null],
    ['Success: streamed 12 bytes\n', null],
    ['Failure [INSTALL_FAILED_OLDER_SDK: Requires #99]\n', 'INSTALL_FAILED_OLDER_SDK: Requires #99'],
    ['Failure [not installed for 0]\n', 'not installed for 0'],
    ['\nException occurred while executing', 'Exception occurred while executing'],
    ['', 'the phone did not give a reason'],
  ])('%j', (output, refusal) => {
    expect(refusalOf(output)).toBe(refusal)
  })
})

describe('mutated output', () => {
  /** Parts are removed, duplicated, swapped and replaced. */
  const mutated = (text: string) =>
    fc
      .array(
        fc.tuple(
          fc.nat({ max: text.length }),
          fc.nat({ max: 40 }),
          fc.oneof(
            fc.string({ unit: 'binary', maxLength: 10 }),
            fc.constantFrom('\n', '=', 'Package [', 'versionName=', ']', 'package:'),
          ),
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((changes) =>
        changes.reduce((now, [at, length, put]) => now.slice(0, at) + put + now.slice(at + length), text),
      )

  it('is parsed or refused with an error, and never crashes the parser', () => {
    fc.assert(
      fc.property(mutated(list), mutated(dump), (brokenList, brokenDump) => {
        for (const parse of [parsePackageList, parsePackageNames]) {
          try {
            parse(brokenList)
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableList)
          }
        }
        for (const version of parseVersionNames(brokenDump)?.values() ?? []) {
          expect(version).not.toMatch(/\p{Cc}/u)
        }
        parseAppList(brokenDump)
        refusalOf(brokenDump)
      }),
      { numRuns: 200 },
    )
  })
})
