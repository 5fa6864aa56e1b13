/** `ime`, and `cmd input_method`: keyboards. Source of formats: AOSP `InputMethodManagerService.ShellCommandImpl`. */
import type { Android } from '../../android/android.js'
import { decode } from '../bytes.js'
import type { CommandIo } from '../command.js'
import { shortComponent } from './intent.js'

const systemIme = 'com.android.inputmethod.latin/.LatinIME'
/** This keyboard is also in the system image, but not enabled. */
const secondIme = 'com.android.inputmethod.pinyin/.PinyinIME'
const imeAction = 'android.view.InputMethod'

/** Returns the system's two keyboards, and the keyboards of installed apps. */
function allImes({ installed }: Android): string[] {
  const others = installed
    .list()
    .flatMap(({ apk }) =>
      apk.services
        .filter((service) => service.actions.includes(imeAction))
        .map((service) => shortComponent(apk.package, service.name)),
    )
  return [systemIme, secondIme, ...others]
}

function enabledImes(android: Android): string[] {
  const set = (android.settings.get('secure', 'enabled_input_methods') ?? '').split(':')
  return allImes(android).filter((id) => id === systemIme || set.includes(id))
}

function select(android: Android, id: string): void {
  android.unicodeIme.reset()
  android.settings.put('secure', 'default_input_method', id)
}

function describe(id: string): string {
  return `${id}:\n  mId=${id} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=false\n  mIsDefaultResId=0x0\n`
}

export async function inputMethod(io: CommandIo, args: readonly string[]): Promise<number> {
  const { android } = io
  const [verb = '', ...rest] = withoutUser(args.map(decode))
  const id = rest.at(-1) ?? ''
  const current = android.settings.get('secure', 'default_input_method') ?? systemIme
  switch (verb) {
    case 'list': {
      const shown = rest.includes('-a') ? allImes(android) : enabledImes(android)
      for (const each of shown) await io.out(rest.includes('-s') ? `${each}\n` : describe(each))
      return 0
    }
    case 'enable':
    case 'disable':
      return setEnabled(io, id, verb === 'enable')
    case 'set':
      if (!enabledImes(android).includes(id)) return refuse(io, id, 'selected')
      select(android, id)
      await io.out(`Input method ${id} selected for user #0\n`)
      return 0
    case 'reset':
      android.settings.put('secure', 'enabled_input_methods', systemIme)
      if (current !== systemIme) select(android, systemIme)
      await io.out(
        `Reset current and enabled IMEs for user #0\n  Newly selected IME: ${systemIme}\n  Newly enabled IMEs: {${systemIme}}\n`,
      )
      return 0
    default:
      await io.err(`Unknown command: ${verb}\n`)
      return 255
  }
}

async function setEnabled(io: CommandIo, id: string, enable: boolean): Promise<number> {
  const { android } = io
  if (!allImes(android).includes(id)) return refuse(io, id, enable ? 'enabled' : 'disabled')
  const before = enabledImes(android)
  const already = before.includes(id) === enable
  const state = enable ? 'enabled' : 'disabled'
  if (!already) {
    const now = enable ? [...before, id] : before.filter((each) => each !== id)
    android.settings.put('secure', 'enabled_input_methods', now.join(':'))
    if (!enable && android.settings.get('secure', 'default_input_method') === id) select(android, systemIme)
  }
  await io.out(`Input method ${id}: ${already ? 'already' : 'now'} ${state} for user #0\n`)
  return 0
}

async function refuse(io: CommandIo, id: string, what: string): Promise<number> {
  await io.err(`Unknown input method ${id} cannot be ${what} for user #0\n`)
  return 255
}

function withoutUser(args: readonly string[]): string[] {
  const at = args.indexOf('--user')
  return at === -1 ? [...args] : [...args.slice(0, at), ...args.slice(at + 2)]
}
