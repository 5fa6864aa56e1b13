/** Screenshots in the forms of phones with several displays. */
import { Progress } from '@phonerack/shared'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { printing } from '../../testing/printing.js'
import { litDisplay, physicalDisplays, pngIn } from './screencap.js'
import { createScreen } from './screen.js'

let png: Buffer
beforeAll(async () => {
  png = await sharp({ create: { width: 9, height: 5, channels: 4, background: '#123' } })
    .png()
    .toBuffer()
})

/** Form: AOSP 14 and newer on foldables (Oppo Find N6, Android 16; Pixel 9 Pro Fold) and MuMu. */
const warning =
  '[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found.\n'

describe('a PNG', () => {
  it('is found between warnings', () => {
    const linker = Buffer.from('\nWARNING: linker: unused DT entry\n')
    for (const output of [png, Buffer.concat([Buffer.from(warning), png]), Buffer.concat([png, linker])])
      expect(pngIn(output)?.equals(png)).toBe(true)
  })

  it('is not found when its end is missing, wherever it was cut', () => {
    for (let length = 0; length < png.length; length += 1) expect(pngIn(png.subarray(0, length))).toBeNull()
    expect(pngIn(Buffer.from(warning))).toBeNull()
  })
})

// Forms: a fold of Google, and a phone of Xiaomi with a screen on the back (Android 15 and 16), and Android
// 10.
const info = (display: number, state: string, id: string) =>
  `    mBaseDisplayInfo=DisplayInfo{"Screen", displayId ${display}, displayGroupId 0, FLAG_TRUSTED, real 1080 x 2400, state ${state}, committedState ${state}, type INTERNAL, uniqueId "local:${id}", app 1080 x 2400, density 420}\n`
const old = (display: number, state: string, id: string) =>
  `    mBaseDisplayInfo=DisplayInfo{"Screen, displayId ${display}", uniqueId "local:${id}", app 1080 x 2400, real 1080 x 2400, state ${state}, type BUILT_IN}\n`
const stream = `    mBaseDisplayInfo=DisplayInfo{"scrcpy", displayId 7, state ON, type VIRTUAL, uniqueId "virtual:com.android.shell,2000,scrcpy,0"}\n`

describe('the display of the screen', () => {
  it.each([
    ['the main one', [info(0, 'ON', '11'), info(1, 'ON', '22')], '11'],
    ['the main one, while the other is off', [info(3, 'OFF', '22'), info(0, 'ON', '11')], '11'],
    ['the cover of a folded phone', [info(0, 'OFF', '11'), info(1, 'ON', '22')], '22'],
    ['the main one, while all are off', [info(1, 'OFF', '22'), info(0, 'OFF', '11')], '11'],
    ['the main one of Android 10', [old(1, 'OFF', '22'), old(0, 'ON', '0')], '0'],
    ['none in another form', ['DisplayInfo{0}\n'], null],
  ])('is %s, in every order', (_name, lines, id) => {
    for (const each of [lines, lines.toReversed(), [stream, ...lines], [...lines, stream]])
      for (const end of ['\n', '\r\n']) expect(litDisplay(each.join('').replaceAll('\n', end))).toBe(id)
  })

  it('is passed to screencap only on phones with several displays', async () => {
    const lines: string[] = []
    const shot = (displays: string, states: string) =>
      createScreen(
        printing((line) => {
          lines.push(line)
          if (line.includes('SurfaceFlinger')) return displays
          return line.startsWith('screencap') ? Buffer.concat([Buffer.from(warning), png]) : states
        }),
      ).png(Progress.for(1000))
    const two = 'Display 11 (HWC display 0): port=0 pnpId=GGL\nDisplay 22 (HWC display 1): port=1\n'
    expect(physicalDisplays(two)).toEqual(['11', '22'])
    expect(png.equals(await shot(two, info(0, 'OFF', '11') + info(1, 'ON', '22')))).toBe(true)
    expect(lines.at(-1)).toBe('screencap -p -d 22')
    await shot("Can't find service: SurfaceFlinger\n", '')
    expect(lines.at(-1)).toBe('screencap -p')
    await expect(shot(two, 'Displays: 2\n')).rejects.toThrow('in an unknown form')
  })
})
