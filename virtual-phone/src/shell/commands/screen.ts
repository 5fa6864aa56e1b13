/** screencap, uiautomator and wm: read the screen and its size. */
import { type CommandIo, type CommandTable, UsageError } from '../command.js'

const defaultDump = '/sdcard/window_dump.xml'

async function writeTo(io: CommandIo, file: string | undefined, content: Buffer): Promise<void> {
  if (file === undefined) await io.stdout.write(content)
  else await io.fs.writeFile(io.path(file), content, 0o660)
}

/** Returns the width, height, format (1: RGBA_8888) and colour space (1: sRGB), followed by the pixels. */
async function rawPicture(io: CommandIo): Promise<Buffer> {
  const { width, height } = io.android.world.display
  const header = Buffer.alloc(16)
  ;[width, height, 1, 1].forEach((field, index) => header.writeUInt32LE(field, index * 4))
  return Buffer.concat([header, await io.android.world.screenshotRgba()])
}

async function setRotation(io: CommandIo, args: readonly string[]): Promise<number> {
  const { settings } = io.android
  if (args[0] === undefined) {
    const free = settings.get('system', 'accelerometer_rotation') === '1'
    await io.out(free ? 'free\n' : `lock ${settings.get('system', 'user_rotation') ?? '0'}\n`)
    return 0
  }
  if (args[0] === 'free') settings.put('system', 'accelerometer_rotation', '1')
  else if (args[0] === 'lock') {
    settings.put('system', 'user_rotation', String(Number(args[1] ?? '0') & 3))
    settings.put('system', 'accelerometer_rotation', '0')
  } else {
    await io.err(`Error: invalid rotation mode ${args[0]}\n`)
    return 255
  }
  return 0
}

/** Returns the size in the panel's natural orientation. */
function panel(io: CommandIo): string {
  const { width, height, rotation } = io.android.world.display
  return rotation % 2 === 0 ? `${width}x${height}` : `${height}x${width}`
}

export const screenCommands: CommandTable = {
  screencap: async (io) => {
    const args = [...io.args]
    const at = args.indexOf('-d')
    if (at !== -1) args.splice(at, 2)
    const [file] = args.filter((arg) => !arg.startsWith('-'))
    const unknown = args.find((arg) => arg.startsWith('-') && !['-p', '-a'].includes(arg))
    if (unknown !== undefined) throw new UsageError('usage: screencap [-hp] [-d display-id] [FILENAME]')
    const png = args.includes('-p') || file?.endsWith('.png') === true
    await writeTo(io, file, png ? await io.android.world.screenshotPng() : await rawPicture(io))
    return 0
  },
  uiautomator: async (io) => {
    const [verb, ...args] = io.args
    if (verb !== 'dump') {
      await io.err(`uiautomator: ${verb ?? 'nothing to do'}: this phone runs only dump\n`)
      return 1
    }
    const file = args.find((arg) => !arg.startsWith('-')) ?? defaultDump
    if (io.android.uiAutomation !== null) {
      // The real tool is killed without output, after the exception "UiAutomationService already registered".
      await io.err('Killed \n')
      return 137
    }
    if (!io.android.world.awake) {
      await io.err('ERROR: null root node returned by UiTestAutomationBridge.\n')
      return 0
    }
    // The real tool waits up to ten seconds for one second without an event.
    if (!io.android.world.idle) {
      await io.err('ERROR: could not get idle state.\n')
      return 0
    }
    const xml = Buffer.from(io.android.world.hierarchyXml())
    if (file === '/dev/tty') await io.stdout.write(xml)
    else {
      try {
        await io.fs.writeFile(io.path(file), xml, 0o660)
      } catch (error) {
        if (!(error instanceof Error && error.name === 'FsError')) throw error
        await io.err(`java.io.FileNotFoundException: ${file}: open failed: EACCES (${error.message})\n`)
        return 0
      }
    }
    // The message has the spelling of the real tool.
    await io.out(`UI hierchary dumped to: ${file}\n`)
    return 0
  },
  wm: async (io) => {
    const [verb = '', ...args] = io.args
    switch (verb) {
      case 'size':
      case 'density':
        if (args.length === 0) {
          await io.out(
            verb === 'size'
              ? `Physical size: ${panel(io)}\n`
              : `Physical density: ${io.android.world.display.density}\n`,
          )
          return 0
        }
        if (args[0] === 'reset') return 0
        await io.err(`Error: this phone is virtual and its ${verb} cannot be changed\n`)
        return 255
      case 'dismiss-keyguard':
        return 0
      case 'user-rotation':
        return setRotation(io, args[0] === '-d' ? args.slice(2) : args)
      default:
        await io.err(`Unknown command: ${verb}\n`)
        return 255
    }
  },
}
