/**
 * Prints the outputs of commands in the forms of several makers, which differ from AOSP's forms: more
 * displays and users, fields of the maker, another order. For tests of parsers; `--maker` of `main.ts`.
 * docs/parsers.md names the source of each form.
 */
import type { CommandIo, CommandRun, CommandTable } from './shell/command.js'

export const makers = ['samsung', 'xiaomi', 'pixel', 'oneplus'] as const
export type Maker = (typeof makers)[number]

export interface Form {
  maker: Maker
  /** Chooses the order of blocks, which is the same for the same seed. */
  seed: number
}

/** Returns a generator of random numbers (Mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
}

type Rewrite = (text: string) => string

const displayBlock = (id: number, size: string, app: string) => `  Display: mDisplayId=${id}
    init=${size} 1dpi mMinSizeOfResizeableTaskDp=220 cur=${size} app=${size} rng=${size}-${size}
    deferred=false mLayoutNeeded=false
  mCurrentFocus=null
  mFocusedApp=${app}
`

const coverApp = 'ActivityRecord{caf038a u0 com.android.systemui/.subscreen.SubHomeActivity t7}'

export function inFormOf({ maker, seed }: Form, commands: CommandTable): CommandTable {
  const random = randomOf(seed)
  const hasTwoPanels = maker === 'samsung' || maker === 'xiaomi'
  let streams = 0

  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)

  const displays: Rewrite = (text) => {
    const [head = '', ...blocks] = text.split(/^(?= {2}Display: mDisplayId=)/m)
    if (hasTwoPanels) blocks.push(displayBlock(1, '512x260', maker === 'samsung' ? coverApp : 'null'))
    if (streams > 0) blocks.push(displayBlock(2, '576x1280', 'null'))
    return head + shuffled(blocks).join('')
  }

  const notifications: Rewrite = (text) => {
    const uid = /(\|\d+): Notification\(/g
    if (maker === 'oneplus') return text.replace(uid, '$1appImportanceLocked=false: Notification(')
    if (maker !== 'xiaomi') return text
    return text
      .replace(uid, '$1 bbbc=2: Notification(')
      .replace(/^(\s*when=)(\d+)$/gm, '$1$2/$2')
      .replaceAll('flags=0x10', 'flags=AUTO_CANCEL')
      .replaceAll('flags=0x2', 'flags=ONGOING_EVENT|NO_CLEAR')
  }

  /** Dual apps: the other user has no grants. */
  const users: Rewrite = (text) =>
    maker === 'pixel'
      ? text
      : text.replace(/^ {4}User 0:[^]*?(?=^(?: {2}\S|\S|\n)|$(?![^]))/gm, (own) => {
          const other = own.replace('User 0:', 'User 999:').replaceAll('granted=true', 'granted=false')
          return shuffled([own, other]).join('')
        })

  const lock: Rewrite = (text) =>
    text.replace(/^(?=User 0)/m, maker === 'pixel' ? '' : 'User 999\n    CredentialType: NONE\n')

  const keyboard: Rewrite = (text) =>
    maker === 'pixel' ? text.replace(/^( *)(mShowRequested=.*) (mInputShown=\w+)$/m, '$1$2\n$1  $3') : text

  const panels: Rewrite = (text) =>
    hasTwoPanels
      ? text.replace(/^.*mBaseDisplayInfo=DisplayInfo\{.*\}$/m, (line) =>
          shuffled([
            line.replace(/\}$/, ', type INTERNAL, uniqueId "local:4619827259835644672"}'),
            '    mBaseDisplayInfo=DisplayInfo{"Second", displayId 1, real 512 x 260, state OFF, type INTERNAL, uniqueId "local:4619827551948147201"}',
          ]).join('\n'),
        )
      : text

  const icons: Rewrite = (text) => {
    const [, name] = /^ {4}([\w.]+)\//m.exec(text) ?? []
    if (maker !== 'pixel' || name === undefined) return text
    return text
      .replace(/^1 activities/, '2 activities')
      .replace(
        /^(?= {2}Activity #0)/m,
        `  Activity #1:\n    priority=0\n    ${name}/leakcanary.internal.activity.LeakLauncherActivity\n`,
      )
  }

  /** The forms by the beginning of a command line. */
  const rewrites: readonly (readonly [string, Rewrite])[] = [
    ['dumpsys window displays', displays],
    ['dumpsys notification', notifications],
    ['cmd notification get', notifications],
    ['dumpsys package', users],
    ['dumpsys lock_settings', lock],
    ['dumpsys input_method', keyboard],
    ['dumpsys display', panels],
    ['cmd package query-activities', icons],
  ]

  const rewritten =
    (run: CommandRun): CommandRun =>
    async (io) => {
      const line = [io.name, ...io.args].join(' ')
      const rewrite = rewrites.find(([begin]) => `${line} `.startsWith(`${begin} `))?.[1]
      if (!rewrite) return run(io)
      let text = ''
      const gathering: CommandIo = { ...io, out: (part) => Promise.resolve(void (text += part)) }
      const code = await run(gathering)
      await io.out(rewrite(text))
      return code
    }

  const { dumpsys, cmd, screencap, app_process: appProcess } = commands
  if (!dumpsys || !cmd || !screencap || !appProcess) throw new Error('a command is missing')
  return {
    ...commands,
    dumpsys: (io) =>
      hasTwoPanels && io.args.join(' ') === 'SurfaceFlinger --display-id'
        ? io
            .out(
              'Display 4619827259835644672 (HWC display 0): port=0\nDisplay 4619827551948147201 (HWC display 1): port=1\n',
            )
            .then(() => 0)
        : rewritten(dumpsys)(io),
    cmd: rewritten(cmd),
    screencap: async (io) => {
      const isUnnamed = hasTwoPanels && !io.args.includes('-d')
      if (isUnnamed)
        await io.out('[Warning] Multiple displays were found, but no display id was specified!\n')
      return screencap(io)
    },
    app_process: async (io) => {
      const isStream = !io.args.includes('video=false')
      streams += isStream ? 1 : 0
      try {
        return await appProcess(io)
      } finally {
        streams -= isStream ? 1 : 0
      }
    },
  }
}
