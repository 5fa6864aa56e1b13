/** Parsing of phones' output by the capabilities. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDeviceList } from '../../adb/device-list.js'
import { touchEvents } from '../../capture/scrcpy/input.js'
import { isKeyText } from '../../capture/scrcpy/text.js'
import { inputTextParts, planStroke } from './input-commands.js'
import { parseAwake } from './power.js'
import { parseSize } from './screen.js'
import { extractXml } from './ui.js'
import { parseForeground, parseWindows } from './windows.js'

/** One display in the form of AOSP 12 to 16 (seen on Android 14: MaaAssistantArknights#11516; 16: citytexi/virtual-device-helper). */
const block = (
  id: number,
  window: string | null,
  name: string | null,
  size = '1080x2400',
  more = 'mMinSizeOfResizeableTaskDp=220 ',
) => `  Display: mDisplayId=${id}${id === 0 ? ' (organized)' : ''}
    init=1080x2400 420dpi ${more}cur=${size} app=${size} rng=1080x938-2305x2257
  mCurrentFocus=${window === null ? 'null' : `Window{5e${id} u0 ${window}}`}
  mFocusedApp=${name === null ? 'null' : `ActivityRecord{a6${id} u0 ${name} t${id}}`}
`
const title = 'WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n'
const dump = (...blocks: string[]) => title + blocks.join('')

// Form: scrcpy's display before display 0 while it streams, with the same focus lines.
const stream = block(2, null, null, '576x1280')
const main = block(0, 'PopupWindow:3f2', 'com.chat/.Main', '2400x1080')
// Form: Galaxy Z Flip4, the cover screen (appium/appium-adb#797).
const cover = block(1, null, 'com.android.systemui/.subscreen.SubHomeActivity', '512x260')

describe('the screen size', () => {
  it('belongs to display 0 in its rotation, in every order of the displays', () => {
    for (const blocks of [
      [main],
      [stream, main],
      [main, stream],
      [cover, stream, main],
      [stream, main, cover],
    ])
      expect(parseSize(dump(...blocks)), blocks.join('')).toEqual({ width: 2400, height: 1080 })
    expect(parseSize(dump(stream, main).replaceAll('\n', '\r\n'))).toEqual({ width: 2400, height: 1080 })
  })

  // Forms: Android 10 (`stacks=4`) and 12 (`rootTasks=7`), 14 with another density (`base=`).
  it.each([
    ['10', block(0, null, null).replace(' (organized)', ' stacks=4')],
    ['12', block(0, null, null, '1080x2400', '').replace(' (organized)', ' rootTasks=7')],
    ['14', block(0, null, null, '1080x2400', 'base=1080x2400 320dpi ')],
  ])('is read on Android %s', (_version, output) => {
    expect(parseSize(dump(output))).toEqual({ width: 1080, height: 2400 })
  })

  it('belongs to the screen with the focus on a folded phone', () => {
    const folded = block(1, 'com.clock/com.clock.Cover', 'com.clock/.Cover', '720x748')
    expect(parseSize(dump(stream, folded, block(0, null, null)))).toEqual({ width: 720, height: 748 })
  })

  it('is not understood in another form', () => {
    for (const output of ['', 'no such command', title, "Can't find service: window\n", 'cur=1x1', stream])
      expect(parseSize(output), output).toBeNull()
  })

  it('is not chosen by the title of a window', () => {
    const forged = block(
      0,
      'x}\n  Display: mDisplayId=0\n    init=1x1 1dpi cur=1x1\n  mCurrentFocus=null{',
      'com.a/.B',
    )
    expect(parseSize(dump(forged))).toEqual({ width: 1080, height: 2400 })
  })
})

describe('the window in front', () => {
  const head = (keyboard: string, state = 'Awake') =>
    `  mWakefulness=${state}\ncom.x.keys/.Service\n    ${keyboard}\n${title}`
  const read = (focus: string, app = 'mFocusedApp=null', keyboard = 'mInputShown=false', state = 'Awake') =>
    parseWindows(
      `${head(keyboard, state)}  Display: mDisplayId=0 (organized)\n  mCurrentFocus=${focus}\n  ${app}\n`,
    )

  it('is read from the focus, else from the app', () => {
    expect(read('Window{a1b2c3 u0 com.android.settings/com.android.settings.Settings}')).toEqual({
      package: 'com.android.settings',
      activity: 'com.android.settings.Settings',
      keyboardVisible: false,
      keyboardPackage: 'com.x.keys',
      systemDialog: false,
      screenOn: true,
    })
    expect(
      read(
        'Window{a1 u0 PopupWindow:3f2}',
        'mFocusedApp=ActivityRecord{77 u0 com.x.notes/.Editor t12}',
        'mInputShown=true',
      ),
    ).toMatchObject({ package: 'com.x.notes', activity: 'com.x.notes.Editor', keyboardVisible: true })
    expect(
      read('null', 'mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 com.x/.A t1}}}').package,
    ).toBe('com.x')
    expect(read('Window{a1 u0 NotificationShade}').package).toBe('com.android.systemui')
    expect(read('null')).toMatchObject({ package: '', activity: null, keyboardVisible: false })
  })

  it('is the app of the activity record, and not the app in the title of its window', () => {
    const app = 'mFocusedApp=ActivityRecord{77 u0 com.evil.app/.Main t12}'
    const forged = 'mFocusedApp=ActivityRecord{1 u0 com.bank/.Main t1}'
    for (const title of [
      'com.bank/com.bank.Main',
      `com.bank/com.bank.Main}\n  ${forged}\n  x`,
      `com.bank/com.bank.Main}\n  Display: mDisplayId=9\n  x`,
      `x}\n  Display: mDisplayId=0 (organized)\n  mCurrentFocus=Window{1 u0 a}\n  ${forged}\n  Display: mDisplayId=9`,
    ]) {
      const output = `  Display: mDisplayId=0 (organized)\n  mCurrentFocus=Window{a1 u0 ${title}}\n  ${app}\n`
      expect(parseForeground(output), output).toMatchObject({
        package: 'com.evil.app',
        activity: 'com.evil.app.Main',
      })
    }
  })

  it('is on display 0, else on the display that has an app', () => {
    const other = block(3, 'com.other/com.other.Main', 'com.other/.Main')
    for (const blocks of [
      [stream, cover, main],
      [main, other],
      [cover, main, stream],
      [other, stream, main],
    ])
      expect(parseForeground(blocks.join('')).package, blocks.join('')).toBe('com.chat')
    expect(parseForeground(block(0, null, null) + other).package).toBe('com.other')
    expect(parseForeground(other + block(0, null, null) + stream).package).toBe('com.other')
    expect(parseForeground(block(0, null, null)).package).toBe('')
  })

  it('is an error in another form', () => {
    for (const output of [
      '',
      title,
      "Can't find service: window\n",
      '  mCurrentFocus=Window{5e u0 com.a/com.a.B}\n',
    ])
      expect(() => parseForeground(output), output).toThrow('in an unknown form')
  })

  it('is an activity whose class has letters of any script', () => {
    expect(read('null', 'mFocusedApp=ActivityRecord{77 u0 com.x/.\u02bb\u03b1 t12}').activity).toBe(
      'com.x.\u02bb\u03b1',
    )
  })

  it('is the app behind a dialog of the system, and the dialog is reported', () => {
    const app = 'mFocusedApp=ActivityRecord{77 u0 com.x.notes/.Editor t12}'
    for (const title of ['Application Error: com.x.maps', 'Application Not Responding: com.x.notes'])
      expect(read(`Window{a1 u0 ${title}}`, app)).toMatchObject({
        package: 'com.x.notes',
        systemDialog: true,
      })
    expect(read('Window{a1 u0 PopupWindow:3f2}', app).systemDialog).toBe(false)
    expect(read('Window{a1 u0 Error Dialogue}', app).systemDialog).toBe(false)
  })

  // Forms: one line with other fields (Android 10 to 13), one for each user (16), no keyboard chosen.
  it.each([
    ['mShowRequested=true mShowExplicitlyRequested=false mShowForced=false mInputShown=true', true],
    ['mInputShown=false\n    mInputShown=true', true],
    ['mInputShown=false', false],
  ])('has the keyboard of %s', (keyboard, isShown) => {
    for (const end of ['\n', '\r\n']) {
      const output = `${head(keyboard)}${block(0, null, null)}`.replaceAll('\n', end)
      expect(parseWindows(output)).toMatchObject({ keyboardVisible: isShown, keyboardPackage: 'com.x.keys' })
    }
    expect(read('null').keyboardPackage).toBe('com.x.keys')
    const none = `null\n    ${keyboard}\n${title}${block(0, 'a\ncom.evil/.Keys', 'com.evil/.Main')}`
    expect(parseWindows(none)).toMatchObject({ keyboardPackage: null, keyboardVisible: isShown })
    expect(() => parseWindows(none.replaceAll('mInputShown', 'mShown'))).toThrow(
      'its keyboard in an unknown form',
    )
  })

  it('is dark only when the phone reports it', () => {
    for (const [state, on] of [
      ['Awake', true],
      ['Dreaming', true],
      ['Asleep', false],
      ['Dozing', false],
      ['Resting', true],
    ] as const)
      expect(read('null', 'mFocusedApp=null', 'mInputShown=false', state).screenOn, state).toBe(on)
  })
})

describe('other texts of a phone', () => {
  it('are read with their meaning', () => {
    expect(parseAwake('  mWakefulness=Awake')).toBe(true)
    expect(parseAwake('  mWakefulness=Asleep')).toBe(false)
    expect(parseAwake('  getWakefulnessLocked()=Dozing')).toBe(false)
    expect(parseAwake('')).toBeNull()
    expect(
      parseDeviceList(
        [
          'R5CT             device usb:1-2 product:a_b model:SM_A536B device:a53x transport_id:7',
          '127.0.0.1:6001   offline transport_id:12',
          '127.0.0.1:6002   device product:x model:y device:transport_id:3 transport_id:13',
          'R5CU             no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-3 transport_id:14',
          '????????????     no permissions usb:1-4 transport_id:15',
          '(no serial number) offline usb:1-5 transport_id:16',
          'old              device',
          '',
        ].join('\n'),
        3,
      ),
    ).toEqual([
      { serial: 'R5CT', state: 'device', transport: { id: 7, serverRun: 3 } },
      { serial: '127.0.0.1:6001', state: 'offline', transport: { id: 12, serverRun: 3 } },
      { serial: '127.0.0.1:6002', state: 'device', transport: { id: 13, serverRun: 3 } },
      {
        serial: 'R5CU',
        state: expect.stringMatching(/^no permissions/) as string,
        transport: { id: 14, serverRun: 3 },
      },
    ])
    expect(
      extractXml("<?xml version='1.0' ?><hierarchy><node/></hierarchy>UI hierchary dumped to: /dev/tty\n"),
    ).toBe("<?xml version='1.0' ?><hierarchy><node/></hierarchy>")
    expect(extractXml('ERROR: null root node returned by UiTestAutomationBridge.\n')).toBe(
      'ERROR: null root node returned by UiTestAutomationBridge.',
    )
  })
})

describe('a gesture', () => {
  const stroke = fc
    .array(fc.record({ x: fc.nat(1000), y: fc.nat(2000), atMs: fc.nat(500) }), { minLength: 1, maxLength: 8 })
    .map((points) => ({ points: points.toSorted((a, b) => a.atMs - b.atMs) }))

  it('presses each finger once at its beginning, and lifts it once at its end, in order of time', () => {
    fc.assert(
      fc.property(fc.array(stroke, { minLength: 1, maxLength: 3 }), (strokes) => {
        const events = touchEvents(strokes)
        expect(events.map(({ atMs }) => atMs)).toEqual(
          events.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
        )
        strokes.forEach(({ points }, id) => {
          const own = events.filter(({ pointerId }) => pointerId === id)
          const moves = points
            .slice(1)
            .filter(({ x, y }, index) => x !== points[index]?.x || y !== points[index].y)
          expect(own.map(({ action }) => action)).toEqual(['down', ...moves.map(() => 'move'), 'up'])
          expect(own.slice(0, -1).map(({ point }) => point)).toEqual([points[0], ...moves])
          expect(own.at(-1)?.point).toEqual(points.at(-1))
        })
      }),
    )
  })

  it('that is a tap goes down and up immediately; a long press keeps its duration', () => {
    const rest = (ms: number) =>
      touchEvents([
        {
          points: [
            { x: 1, y: 2, atMs: 0 },
            { x: 1, y: 2, atMs: ms },
          ],
        },
      ])
    expect(rest(20).map(({ action, atMs }) => [action, atMs])).toEqual([
      ['down', 0],
      ['up', 0],
    ])
    expect(rest(600).map(({ action, atMs }) => [action, atMs])).toEqual([
      ['down', 0],
      ['up', 600],
    ])
  })

  it('without scrcpy is a tap, a swipe, or steps from its first point to its last', () => {
    expect(planStroke({ points: [{ x: 5, y: 6, atMs: 0 }] })).toMatchObject({ kind: 'tap' })
    expect(
      planStroke({
        points: [
          { x: 0, y: 0, atMs: 0 },
          { x: 0, y: 300, atMs: 150 },
          { x: 0, y: 600, atMs: 300 },
        ],
      }),
    ).toMatchObject({ kind: 'swipe', durationMs: 300 })
    // The finger is held first and then moved, which is not a swipe.
    expect(
      planStroke({
        points: [
          { x: 0, y: 0, atMs: 0 },
          { x: 0, y: 0, atMs: 800 },
          { x: 0, y: 600, atMs: 1000 },
        ],
      }),
    ).toMatchObject({ kind: 'steps' })
    fc.assert(
      fc.property(stroke, ({ points }) => {
        const plan = planStroke({ points })
        if (plan.kind !== 'steps') return
        expect(plan.points[0]).toBe(points[0])
        expect(plan.points.at(-1)).toEqual(points.at(-1))
      }),
    )
  })
})

describe('text', () => {
  it('for `input text` contains every printable character, as Android decodes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'%s ab"\'\\$'.split('')) }), (text) => {
        const parts = inputTextParts(text)
        // AOSP `InputShellCommand.sendText`: `%s` becomes a space.
        expect(parts.map((part) => part.replaceAll('%s', ' ')).join('')).toBe(text)
      }),
    )
  })

  it('is typed by keys only when a key map has all of its characters', () => {
    expect(isKeyText('Hello, "world" ~')).toBe(true)
    for (const text of ['é', 'a\nb', '漢', '😀', '\t']) expect(isKeyText(text)).toBe(false)
  })
})
